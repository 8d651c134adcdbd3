import type { FastifyInstance } from 'fastify';
import type { ShownNames } from '../../contract/shown-names.ts';
import type { Address } from '../../core/ip/address.ts';
import { parseAddress } from '../../core/ip/parse-address.ts';
import type { KnownGoodSet } from '../../core/risk/known-good.ts';
import { sourceTextZh } from '../../core/texts/source-text-zh.ts';
import { Problem } from '../../service/problem.ts';

export interface NameTables {
  readonly asName: (asn: number) => string | undefined;
  /** The list of known services or research scanners that names an address now. */
  readonly knownAs: (address: Address) => KnownGoodSet | undefined;
  /** Chinese names of administrative divisions by code. */
  readonly divisions: () => ReadonlyMap<string, string>;
}

/** Up to 100 numbers, which covers a page of a traffic summary. */
const AS_NUMBERS = /^\d{1,10}(,\d{1,10}){0,99}$/;
const DIVISION = /^\d{6}$/;

/**
 * GET /console/api/names?asn=&ip=&division=, with up to 100 AS numbers: names that only pages show. Documents of
 * lookups do not carry them (decisions 10.11).
 */
export function namesRoute(app: FastifyInstance, { asName, knownAs, divisions }: NameTables): void {
  let table: ReadonlyMap<string, string> | undefined;
  const all = (): ReadonlyMap<string, string> => {
    table ??= divisions();
    return table;
  };
  app.get('/console/api/names', async (request, reply): Promise<ShownNames> => {
    const { asn = '', ip = '', division = '' } = request.query as Readonly<Record<string, unknown>>;
    const named = asn === '' ? undefined : namesOf(textOf(asn, AS_NUMBERS, 'asn').split(',').map(Number), asName);
    const around = division === '' ? undefined : namesAround(textOf(division, DIVISION, 'division'), all());
    const known = ip === '' ? undefined : knownAs(addressOf(ip));
    reply.header('cache-control', 'public, max-age=3600');
    return {
      ...(named !== undefined && { as_names: named }),
      ...(known !== undefined && { known_as: knownText(known) }),
      ...(around !== undefined && { divisions: around }),
    };
  });
}

function textOf(value: unknown, form: RegExp, parameter: string): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw new Problem('bad_request', { message: `The parameter ${parameter} is not a number of its form.` });
}

function addressOf(value: unknown): Address {
  const parsed = typeof value === 'string' ? parseAddress(value) : undefined;
  if (parsed?.status === 'ok') return parsed.address;
  throw new Problem('invalid_ip');
}

const knownText = ({ what, scanner }: KnownGoodSet): NonNullable<ShownNames['known_as']> => ({
  what,
  what_zh: sourceTextZh(what),
  ...(scanner === true && { scanner }),
});

const namesOf = (asns: readonly number[], asName: NameTables['asName']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    asns.flatMap((asn) => {
      const name = asName(asn);
      return name === undefined ? [] : [[asn, name]];
    }),
  );

/** Returns the names of the province, the city and the division itself. */
function namesAround(code: string, all: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const codes = [`${code.slice(0, 2)}0000`, `${code.slice(0, 4)}00`, code];
  return Object.fromEntries(codes.flatMap((one) => (all.has(one) ? [[one, all.get(one)!]] : [])));
}

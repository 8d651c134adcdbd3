import type { FastifyInstance } from 'fastify';
import type { Geo } from '../../contract/documents.ts';
import type { ShownAddress, ShownNames } from '../../contract/shown-names.ts';
import type { Address } from '../../core/ip/address.ts';
import { parseAddress } from '../../core/ip/parse-address.ts';
import { sourceTextZh } from '../../core/texts/source-text-zh.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { AddressIdentity } from '../../service/lookup/lookup-ip.ts';
import { Problem } from '../../service/problem.ts';

export interface NamedAddress extends AddressIdentity {
  readonly asn?: number | undefined;
  /** Text of its place. */
  readonly geoJson?: string | undefined;
}

export interface NameTables {
  readonly asName: (asn: number) => string | undefined;
  readonly identityOf: (address: Address) => NamedAddress;
  readonly divisions: () => ReadonlyMap<string, string>;
}

const ASKED_MAX = 100;
const AS_NUMBERS = new RegExp(`^\\d{1,10}(,\\d{1,10}){0,${ASKED_MAX - 1}}$`);
const DIVISION = /^\d{6}$/;

/**
 * GET /console/api/names?asn=&ip=&division=, with up to 100 AS numbers and addresses: names that only pages show.
 * Documents of lookups do not carry them (decisions 10.11).
 */
export function namesRoute(app: FastifyInstance, { asName, identityOf, divisions }: NameTables): void {
  let table: ReadonlyMap<string, string> | undefined;
  const all = (): ReadonlyMap<string, string> => {
    table ??= divisions();
    return table;
  };
  app.get('/console/api/names', async (request, reply): Promise<ShownNames> => {
    const { asn = '', ip = '', division = '' } = request.query as Readonly<Record<string, unknown>>;
    const found = ip === '' ? [] : addressesIn(ip).map(([text, address]) => [text, identityOf(address)] as const);
    const asns = [
      ...(asn === '' ? [] : textOf(asn, AS_NUMBERS, 'asn').split(',').map(Number)),
      ...found.flatMap(([, one]) => one.asn ?? []),
    ];
    const places = [
      ...(division === '' ? [] : [textOf(division, DIVISION, 'division')]),
      ...found.flatMap(([, { geoJson = '{}' }]) => (JSON.parse(geoJson) as Partial<Geo>).admin_code ?? []),
    ];
    // An exit of Tor is one for some hours.
    reply.header('cache-control', `public, max-age=${ip === '' ? 3600 : 300}`);
    return {
      ...(asns.length > 0 && { as_names: namesOf(asns, asName) }),
      ...(ip !== '' && { addresses: shownAddresses(found) }),
      ...(places.length > 0 && { divisions: Object.assign({}, ...places.map((code) => namesAround(code, all()))) }),
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

function addressesIn(texts: unknown): readonly (readonly [text: string, address: Address])[] {
  const asked = typeof texts === 'string' ? texts.split(',') : [];
  if (asked.length === 0 || asked.length > ASKED_MAX) throw new Problem('invalid_ip');
  return asked.map((text) => [text, addressOf(text)]);
}

const shownAddresses = (found: readonly (readonly [string, NamedAddress])[]): NonNullable<ShownNames['addresses']> =>
  Object.fromEntries(
    found.map(([text, one]) => [text, shownAddress(one)] as const).filter(([, shown]) => Object.keys(shown).length > 0),
  );

const shownAddress = ({ knownGood, sharedBy, override }: AddressIdentity): ShownAddress => ({
  ...(knownGood !== undefined && {
    known_as: {
      what: knownGood.what,
      what_zh: sourceTextZh(knownGood.what),
      ...(knownGood.scanner === true && { scanner: true }),
    },
  }),
  ...(sharedBy !== undefined && { shared_by: sharedBy }),
  ...(override !== undefined && { corrected: { from: isoTime(override.from), until: isoTime(override.until) } }),
});

const namesOf = (asns: readonly number[], asName: NameTables['asName']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    asns.flatMap((asn) => {
      const name = asName(asn);
      return name === undefined ? [] : [[asn, name]];
    }),
  );

function namesAround(code: string, all: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const codes = [`${code.slice(0, 2)}0000`, `${code.slice(0, 4)}00`, code];
  return Object.fromEntries(codes.flatMap((one) => (all.has(one) ? [[one, all.get(one)!]] : [])));
}

import type { SeenAddress, SummaryDoubt } from '../../contract/traffic-summary.ts';
import { findAddresses } from '../ip/find-addresses.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { type Fault, fault } from '../texts/said.ts';
import { isMostly } from './best-column.ts';
import { CLIENT_RANK, type ClientRank, clientRank } from './client-rank.ts';

export interface AddressColumns {
  readonly column: number;
  readonly doubt: SummaryDoubt | undefined;
}

/** Accepts an address with or without a port, a list of them, and the marks that spreadsheets put before text. */
export const isAddress = (text: string): boolean =>
  parseAnyAddress(text.trim()) !== undefined ||
  (/^[[\da-f:"='\u2018]/i.test(text) &&
    /^[\s\da-f.:,[\]"='\u2018]+$/i.test(text) &&
    findAddresses(text).addresses.length > 0);

/**
 * @param names undefined where columns have none
 * @returns undefined where no column has addresses; a fault where two are equally good
 */
export function addressColumns(
  rows: readonly (readonly string[])[],
  names: readonly string[] | undefined,
): AddressColumns | Fault | undefined {
  const width = Math.min(COLUMNS_MAX, Math.max(names?.length ?? 0, ...rows.map(({ length }) => length)));
  const columns = [...Array(width).keys()]
    .map((column) => ({ column, rank: rankOf(names?.[column]) }))
    .filter(({ column, rank }) =>
      rows.length === 0 ? rank <= CLIENT_RANK.address : isMostly(rows, (row) => row[column] ?? '', isAddress),
    )
    .toSorted((a, b) => a.rank - b.rank);
  const [best, ...others] = columns;
  if (best === undefined) return undefined;
  const seen = ({ column }: { readonly column: number }): SeenAddress => ({
    name: names?.[column] ?? String(column + 1),
    example: rows.map((row) => row[column] ?? '').find(isAddress)!,
  });
  const [equal] = others.filter(({ rank, column }) => rank === best.rank && !isSame(rows, column, best.column));
  if (equal !== undefined && best.rank >= CLIENT_RANK.address) return equalFault(seen(best), seen(equal));
  const isClear = best.rank < (others.length > 0 ? CLIENT_RANK.forwarded : CLIENT_RANK.link) && equal === undefined;
  const doubt = isClear || rows.length === 0 ? undefined : { taken: seen(best), others: others.map(seen), lines: 1 };
  return { column: best.column, doubt };
}

export const equalFault = (one: SeenAddress, other: SeenAddress): Fault =>
  fault(
    'addresses stand in {one} ({example}) and in {other} ({otherExample}), and nothing says which is the client; --field {one} or --field {other} chooses',
    {
      one: one.name,
      example: one.example,
      other: other.name,
      otherExample: other.example,
    },
  );

const COLUMNS_MAX = 200;

const rankOf = (name: string | undefined): ClientRank =>
  name === undefined ? CLIENT_RANK.unknown : clientRank([name.trim()]);

const isSame = (rows: readonly (readonly string[])[], one: number, other: number): boolean =>
  rows.every((row) => row[one] === row[other]);

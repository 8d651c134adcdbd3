import type { SummaryDoubt } from '../../contract/traffic-summary.ts';
import type { UnixMs } from '../units.ts';
import type { ClientRank } from './client-rank.ts';
import type { JsonDocuments } from './json-records.ts';
import type { LineFormat, Which } from './line-format.ts';

/**
 * Where a value stands in a record: the number of a column or word from 0, or the keys that lead to a member
 * of a JSON object.
 */
export type Place = number | readonly string[];

/** Where things stand in the records of one file. */
export interface LineLayout {
  readonly format: LineFormat;
  /** Undefined: found in each record by itself, by its form and by names. */
  readonly address: Place | undefined;
  /** The place was named, so no other is looked at. */
  readonly isNamed?: true;
  /** `csv` and `tsv`, in rows that have no address there: further columns of a client's name, best first. */
  readonly furtherColumns?: readonly number[];
  /** Where the address is found in each record: the worst name that is taken. */
  readonly rankMax?: ClientRank;
  /** `ndjson`: the file is not one object a line. */
  readonly documents?: JsonDocuments;
  /**
   * Undefined: no column, word or member was found that holds a time. `common` and `combined` have theirs in
   * brackets, other lines may have it anywhere.
   */
  readonly time: Place | undefined;
  /** `csv` and `tsv`: the byte between two cells. */
  readonly separator: number;
  /** `csv` and `tsv`: names of the columns; undefined: the first record is not a header. */
  readonly header: readonly string[] | undefined;
  /** W3C and flow logs: names of the words. */
  readonly words?: readonly string[];
  /** `any`: which of several addresses count. Left out: the first. */
  readonly which?: Which;
  /** The clock, for times without a year. Left out: those are passed over. */
  readonly now?: UnixMs;
  /** Left out: it is clear which address is the client's, or there is one alone. */
  readonly doubt?: SummaryDoubt;
}

const COMMA = 44;
const TAB = 9;

export const isTable = ({ format }: Pick<LineLayout, 'format'>): boolean => format === 'csv' || format === 'tsv';

export const separatorOf = (format: LineFormat): number => (format === 'tsv' ? TAB : COMMA);

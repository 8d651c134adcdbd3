import type { UnixMs } from '../units.ts';
import type { LineFormat, Which } from './line-format.ts';

/** Where a value stands in a record: the number of a column or word from 0, or the keys that lead to a member of a JSON object. */
export type Place = number | readonly string[];

/** Where things stand in the records of one file. */
export interface LineLayout {
  readonly format: LineFormat;
  readonly address: Place;
  /** Undefined: no column, word or member was found that holds a time. `common` and `combined` have theirs in brackets, other lines may have it anywhere. */
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
  /** Addresses that most lines of the sample hold, where these are more than are read. */
  readonly unread?: number;
}

const COMMA = 44;
const TAB = 9;

export const isTable = ({ format }: Pick<LineLayout, 'format'>): boolean => format === 'csv' || format === 'tsv';

export const separatorOf = (format: LineFormat): number => (format === 'tsv' ? TAB : COMMA);

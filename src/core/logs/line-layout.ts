import type { SummaryDoubt } from '../../contract/traffic-summary.ts';
import type { UnixMs } from '../units.ts';
import type { ClientRank } from './client-rank.ts';
import type { JsonDocuments } from './json-records.ts';
import type { LineFormat, Which } from './line-format.ts';

/**
 * Places a value in a record: the number of a column or word from 0, or the keys to a member of a JSON
 * object.
 */
export type Place = number | readonly string[];

export interface LineLayout {
  readonly format: LineFormat;
  /** Undefined where each record shows it by its form and its names. */
  readonly address: Place | undefined;
  /** The place was named, so the reader examines no other. */
  readonly isNamed?: true;
  /** `csv` and `tsv`: the column of the near end, which is the client of the rows that call out. */
  readonly nearColumn?: number;
  /** Names with a worse rank are not taken where each record shows its address. */
  readonly rankMax?: ClientRank;
  /** `ndjson`: present where the file is not one object per line. */
  readonly documents?: JsonDocuments;
  /**
   * Undefined where no column, word or member holds a time. `common` and `combined` have theirs in brackets;
   * other lines may have it anywhere.
   */
  readonly time: Place | undefined;
  /** The column or word with the time of day, where `time` holds the date alone. */
  readonly clock?: number;
  readonly separator: number;
  /** `csv` and `tsv`: undefined where the first record is not a header. */
  readonly header: readonly string[] | undefined;
  /** `csv` and `tsv`: the first record begins with a line that names the separator, as spreadsheets write it. */
  readonly statesSeparator?: boolean;
  readonly words?: readonly string[];
  readonly which?: Which;
  /** Completes times without a year; without it, those are skipped. */
  readonly now?: UnixMs;
  readonly doubt?: SummaryDoubt;
}

const COMMA = 44;
const TAB = 9;

export const isTable = ({ format }: Pick<LineLayout, 'format'>): boolean => format === 'csv' || format === 'tsv';

export const separatorOf = (format: LineFormat): number => (format === 'tsv' ? TAB : COMMA);

import type { Findings } from '../bulk/bulk-request.ts';

export interface PhoneOptions {
  /** Number of the column from 1; undefined: the one that has numbers. */
  readonly field: string | undefined;
  /** Country of numbers without + or 00, by ISO 3166-1; undefined: as the API reads them. */
  readonly region: string | undefined;
}

/** Findings in a list of numbers. */
export interface PhoneFindings extends Findings {
  /** Names of the columns of a table; undefined: lines of text. */
  readonly columns: readonly string[] | undefined;
  /** Column of the numbers, counted from 0. */
  readonly column: number;
  readonly withoutNumber: number;
  readonly badLength: number;
}

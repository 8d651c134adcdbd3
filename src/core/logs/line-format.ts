/**
 * Formats of files of lines (decisions 10.2). `common` and `combined` are the access logs of Apache and
 * nginx, `lines` has an address in one word of each line, `any` has them anywhere.
 */
export const LINE_FORMATS = ['common', 'combined', 'csv', 'tsv', 'ndjson', 'lines', 'any'] as const;
export type LineFormat = (typeof LINE_FORMATS)[number];

/**
 * Chooses among several addresses in one line of `any` text or in one cell: the first public one, the last
 * public one, or each.
 */
export const WHICH = ['first', 'last', 'all'] as const;
export type Which = (typeof WHICH)[number];

export interface ReadingProgress {
  readonly records: number;
  /** The share of the file that was read, 0 to 1; undefined where its size is unknown. */
  readonly share: number | undefined;
}

/** Formats of files of lines (decisions 10.2). `common` and `combined` are the access logs of Apache and nginx, `lines` has an address first in each line. */
export const LINE_FORMATS = ['common', 'combined', 'csv', 'tsv', 'ndjson', 'lines'] as const;
export type LineFormat = (typeof LINE_FORMATS)[number];

import { splitRow } from './split-row.ts';

const SEPARATORS = [',', ';', '\t', '|'];

export interface Header {
  readonly separator: string;
  readonly names: readonly string[];
}

export const rowsBySeparator = (line: string): readonly Header[] =>
  SEPARATORS.map((separator) => ({ separator, names: splitRow(line, separator) }));

/**
 * Reads a line as a header, with the separator that gives the most cells. @param isHeader decides whether
 * names belong to a list
 */
export const readHeader = (line: string, isHeader: (names: readonly string[]) => boolean): Header | undefined =>
  rowsBySeparator(line)
    .filter(({ names }) => isHeader(names))
    .toSorted((a, b) => b.names.length - a.names.length)[0];

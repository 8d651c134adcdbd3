/**
 * Splits one RFC 4180 row into cells without white space around them. Only a quote at the start of a cell
 * opens a quoted one; inside, the separator is text and two quotes are one. A row is one line: none of our
 * lists breaks lines inside quotes. An unclosed quote takes the rest of the line.
 * @param count the rest of the row is not read
 */
export function splitRow(line: string, separator = ',', count = Number.POSITIVE_INFINITY): string[] {
  const cells: string[] = [];
  for (let at = 0; cells.length < count; ) {
    let end = endOf(line, separator, at);
    let cell = line.slice(at, end).trim();
    if (cell.startsWith('"')) {
      const open = line.indexOf('"', at) + 1;
      const close = closingQuote(line, open);
      end = endOf(line, separator, close + 1);
      cell = (line.slice(open, close).replaceAll('""', '"') + line.slice(close + 1, end)).trim();
    }
    cells.push(cell);
    if (end >= line.length) break;
    at = end + 1;
  }
  return cells;
}

/**
 * Returns the position of the separator after a cell, or the end of the line; `closingQuote` does so for
 * quotes.
 */
function endOf(line: string, separator: string, from: number): number {
  const end = line.indexOf(separator, from);
  return end < 0 ? line.length : end;
}

function closingQuote(line: string, from: number): number {
  let at = from;
  while (at < line.length && (line[at] !== '"' || line[at + 1] === '"')) at += line[at] === '"' ? 2 : 1;
  return at;
}

/** Recognises `sep=;`, which spreadsheets write before a table or need there. */
export const isSeparatorLine = (line: string): boolean => /^\uFEFF?sep=[,;|\t]\s*$/i.test(line);

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

/**
 * Returns the column that has such a value in most rows that have any; among several the better known name
 * wins, then the first.
 */
export function bestColumn(
  rows: readonly (readonly string[])[],
  header: readonly string[] | undefined,
  names: readonly string[],
  fits: (cell: string, column: number) => boolean,
): number | undefined {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const candidates = [...Array(width).keys()].filter((column) =>
    isMostly(
      rows,
      (row) => row[column] ?? '',
      (cell) => fits(cell, column),
    ),
  );
  const order = (column: number): number => {
    const rank = rankOf(names, header?.[column] ?? '');
    return rank < 0 ? names.length : rank;
  };
  return candidates.toSorted((a, b) => order(a) - order(b))[0];
}

export function columnOf(field: string, header: readonly string[] | undefined): number | undefined {
  const named = header?.indexOf(field) ?? -1;
  return named >= 0 ? named : numberOf(field);
}

export const numberOf = (field: string): number | undefined =>
  /^[1-9]\d{0,2}$/.test(field) ? Number(field) - 1 : undefined;

export function isMostly<Row>(
  rows: readonly Row[],
  textOf: (row: Row) => string,
  fits: (value: string) => boolean,
): boolean {
  const filled = rows.map(textOf).filter((value) => value !== '' && value !== '-');
  return filled.length > 0 && 2 * filled.filter(fits).length > filled.length;
}

export const rankOf = (names: readonly string[], name: string): number => names.indexOf(name.trim().toLowerCase());

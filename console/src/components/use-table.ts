import { useState } from 'react';
import { type Column, csvOf, type Order, orderRows } from './order-rows.ts';

/** Columns of a table whose reader chooses the order. */
export interface OrderedColumns {
  readonly columns: readonly string[];
  /** Places of the columns that rows can be ordered by. */
  readonly orderable: readonly number[];
  readonly order: Order | undefined;
  readonly onOrder: (order: Order | undefined) => void;
  /** The rows as they are shown, as a file. */
  readonly csv: () => string;
}

/** Rows in the order that the reader chose, at first as they come, and the choice itself for TableCard. */
export function useTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): { readonly rows: readonly Row[]; readonly ordered: OrderedColumns } {
  const [order, onOrder] = useState<Order>();
  const shown = order === undefined ? rows : orderRows(rows, columns, order);
  return {
    rows: shown,
    ordered: {
      columns: columns.map(({ name }) => name),
      orderable: [...columns.keys()].filter((at) => columns[at]!.value !== undefined),
      order,
      onOrder,
      csv: () => csvOf(shown, columns),
    },
  };
}

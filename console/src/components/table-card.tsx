import { Button, Group, NativeSelect, Table, Text, UnstyledButton } from '@mantine/core';
import { type ReactNode, useCallback, useState } from 'react';
import { fill, useLocale } from '../locale.tsx';
import { downloadText } from '../pages/console/download-text.ts';
import { isToken } from './is-token.ts';
import type { Order } from './order-rows.ts';
import classes from './table-card.module.css';
import type { OrderedColumns } from './use-table.ts';

interface Props {
  /** Content of the table, for readers who cannot see it. */
  readonly label: string;
  readonly columns: readonly string[] | OrderedColumns;
  /** Rows of `Cell`s in the order of the columns. */
  readonly children: ReactNode;
  /** Shown instead of the table while there are no rows. */
  readonly empty?: string | undefined;
  /** False inside a card. */
  readonly framed?: boolean;
}

/** A table in its card. On a narrow screen a row becomes a block of named values instead of running out of sight. */
export function TableCard({ label, columns: given, children, empty, framed = true }: Props) {
  const { scrolls, watch } = useScrolls();
  const ordered = 'columns' in given ? given : undefined;
  const columns = 'columns' in given ? given.columns : given;
  return (
    <section className={framed ? classes.card : classes.plain}>
      {empty !== undefined ? (
        <Text c="dimmed" py="sm">
          {empty}
        </Text>
      ) : (
        <div ref={watch} className={classes.scroll} {...(scrolls && { tabIndex: 0 })}>
          {ordered !== undefined && <Tools label={label} of={ordered} />}
          <Table aria-label={label} verticalSpacing="sm" className={classes.table ?? ''}>
            <Table.Thead>
              <Table.Tr>
                {columns.map((name, at) => (
                  <Head key={name} name={name} at={at} of={ordered} />
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>{children}</Table.Tbody>
          </Table>
        </div>
      )}
    </section>
  );
}

/** Returns whether a table is wider than its place, because the keyboard must reach what scrolls. */
function useScrolls() {
  const [scrolls, setScrolls] = useState(false);
  const watch = useCallback((place: HTMLDivElement) => {
    const observer = new ResizeObserver(() => setScrolls(place.scrollWidth > place.clientWidth));
    observer.observe(place);
    return () => observer.disconnect();
  }, []);
  return { scrolls, watch };
}

const AROUND = { true: 'descending', false: 'ascending' } as const;

/** A column's name; where rows can be ordered by it a button: up, down, as they came. */
function Head({
  name,
  at,
  of,
}: {
  readonly name: string;
  readonly at: number;
  readonly of: OrderedColumns | undefined;
}) {
  if (of === undefined || !of.orderable.includes(at)) return <Table.Th>{name}</Table.Th>;
  const chosen = of.order?.by === at ? of.order : undefined;
  const next =
    chosen === undefined ? { by: at, descending: false } : chosen.descending ? undefined : { by: at, descending: true };
  return (
    <Table.Th aria-sort={chosen === undefined ? 'none' : AROUND[`${chosen.descending}`]}>
      <UnstyledButton className={classes.head ?? ''} onClick={() => of.onOrder(next)}>
        {name}
        <span aria-hidden className={classes.mark}>
          {chosen === undefined ? '↕' : chosen.descending ? '↓' : '↑'}
        </span>
      </UnstyledButton>
    </Table.Th>
  );
}

/** The file of the rows, and on a narrow screen, which has no heads, their order. */
function Tools({ label, of }: { readonly label: string; readonly of: OrderedColumns }) {
  const { t } = useLocale();
  const name = (order: Order): string =>
    fill(order.descending ? t.table.descending : t.table.ascending, { column: of.columns[order.by]! });
  const orders = of.orderable.flatMap((by) => [false, true].map((descending) => ({ by, descending })));
  const place = orders.findIndex(({ by, descending }) => by === of.order?.by && descending === of.order.descending);
  return (
    <Group gap="xs" justify="flex-end" className={classes.tools ?? ''}>
      <NativeSelect
        size="xs"
        className={classes.narrow ?? ''}
        aria-label={`${t.table.order}: ${label}`}
        value={String(place)}
        onChange={(event) => of.onOrder(orders[Number(event.currentTarget.value)])}
        data={[
          { value: '-1', label: t.table.order },
          ...orders.map((order, i) => ({ value: String(i), label: name(order) })),
        ]}
      />
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={`${t.table.csv}: ${label}`}
        onClick={() => downloadText(`pulse-${label}.csv`, of.csv())}
      >
        {t.table.csv}
      </Button>
    </Group>
  );
}

interface CellProps {
  /** Name of its column; empty where the value needs none next to it on a narrow screen. */
  readonly of: string;
  /** Breaks between words only. */
  readonly whole?: boolean;
  readonly children: ReactNode;
}

export function Cell({ of, whole = false, children }: CellProps) {
  return (
    <Table.Td data-column={of} className={whole ? (classes.wide ?? '') : ''}>
      <div className={isToken(children) ? (classes.token ?? '') : ''}>{children}</div>
    </Table.Td>
  );
}

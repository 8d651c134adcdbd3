import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { isToken } from './is-token.ts';
import classes from './table-card.module.css';

interface Props {
  /** Content of the table, for readers who cannot see it. */
  readonly label: string;
  readonly columns: readonly string[];
  /** Rows of `Cell`s in the order of the columns. */
  readonly children: ReactNode;
  /** Shown instead of the table while there are no rows. */
  readonly empty?: string | undefined;
  /** False inside a card. */
  readonly framed?: boolean;
  /** True where it may be wider than the page and holds nothing else that the keyboard reaches. */
  readonly reachable?: boolean;
}

/** A table in its card. On a narrow screen a row becomes a block of named values instead of running out of sight. */
export function TableCard({ label, columns, children, empty, framed = true, reachable }: Props) {
  return (
    <section className={framed ? classes.card : classes.plain}>
      {empty !== undefined ? (
        <Text c="dimmed" py="sm">
          {empty}
        </Text>
      ) : (
        <div className={classes.scroll} {...(reachable && { tabIndex: 0 })}>
          <Table aria-label={label} verticalSpacing="sm" className={classes.table ?? ''}>
            <Table.Thead>
              <Table.Tr>
                {columns.map((name) => (
                  <Table.Th key={name}>{name}</Table.Th>
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

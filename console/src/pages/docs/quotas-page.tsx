import { Table, Text, Title } from '@mantine/core';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { DocsPage } from './docs-page.tsx';

export function QuotasPage() {
  const d = useDocs().quotas;
  return (
    <DocsPage title={d.title} lead={d.lead}>
      <TableCard label={d.limits} columns={[d.who, d.limits]}>
        {Object.entries(d.rows).map(([key, row]) => (
          <Table.Tr key={key}>
            <Cell of={d.who}>{row.who}</Cell>
            <Cell of="">{row.limits}</Cell>
          </Table.Tr>
        ))}
      </TableCard>
      <Text>{d.day}</Text>
      <Title order={2}>{d.headersTitle}</Title>
      <TableCard label={d.headersTitle} columns={[d.header, d.meaning]}>
        {Object.entries(d.headers).map(([name, meaning]) => (
          <Table.Tr key={name}>
            <Cell of={d.header}>
              <code>{name}</code>
            </Cell>
            <Cell of="">{meaning}</Cell>
          </Table.Tr>
        ))}
      </TableCard>
    </DocsPage>
  );
}

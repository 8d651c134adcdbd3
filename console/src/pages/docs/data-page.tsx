import { Anchor, Skeleton, Table, Text, Title } from '@mantine/core';
import notice from '../../../../NOTICE?raw';
import type { Status } from '../../../../src/contract/status.ts';
import { useLoad } from '../../api/use-load.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import docs from './docs.module.css';
import { DocsPage } from './docs-page.tsx';

/** Who the data comes from and under what terms: attribution that the licences ask for, on a page that every answer's page links to. */
export function DataPage() {
  const d = useDocs().data;
  const { data, problem } = useLoad<Status>('/status');
  return (
    <DocsPage title={d.title} lead={d.lead}>
      <Text>
        <Anchor href="https://db-ip.com" rel="noreferrer" underline="always">
          IP Geolocation by DB-IP
        </Anchor>
      </Text>
      <Title order={2}>{d.feeds}</Title>
      <Text>{d.feedsLead}</Text>
      <ProblemAlert problem={problem} />
      {data === undefined && problem === undefined && <Skeleton height={320} />}
      {data !== undefined && (
        <TableCard label={d.feeds} columns={[d.source, d.gives, d.licence]}>
          {data.sources.map((source) => (
            <Table.Tr key={source.id}>
              <Cell of={d.source}>
                <Anchor href={source.url} rel="noreferrer" underline="always" size="sm">
                  {source.title}
                </Anchor>
              </Cell>
              <Cell of={d.gives}>
                <code>{source.feeds}</code>
              </Cell>
              <Cell of={d.licence}>{source.licence}</Cell>
            </Table.Tr>
          ))}
        </TableCard>
      )}
      <Title order={2}>{d.notice}</Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={docs.notice} tabIndex={0} aria-label={d.notice} lang="en">
        <pre>{notice}</pre>
      </section>
    </DocsPage>
  );
}

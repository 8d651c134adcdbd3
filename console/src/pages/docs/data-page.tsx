import { Anchor, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import notice from '../../../../NOTICE?raw';
import type { Status } from '../../../../src/contract/status.ts';
import { useLoad } from '../../api/use-load.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { usePageTitle } from '../../head.ts';
import { useDocs } from '../../messages/use-docs.ts';
import docs from './docs.module.css';

/** Who the data comes from and under what terms: attribution that the licences ask for, on a page that every answer's page links to. */
export function DataPage() {
  const d = useDocs().data;
  usePageTitle(d.title);
  const { data, problem } = useLoad<Status>('/status');
  return (
    <Stack gap="lg">
      <Title order={1}>{d.title}</Title>
      <Text size="lg">{d.lead}</Text>
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
        <Table.ScrollContainer minWidth={560} type="native">
          <Table striped aria-label={d.feeds} verticalSpacing={5}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{d.source}</Table.Th>
                <Table.Th>{d.gives}</Table.Th>
                <Table.Th>{d.licence}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.sources.map((source) => (
                <Table.Tr key={source.id}>
                  <Table.Td>
                    <Anchor href={source.url} rel="noreferrer" underline="always">
                      {source.title}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>
                    <code>{source.feeds}</code>
                  </Table.Td>
                  <Table.Td>{source.licence}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Title order={2}>{d.notice}</Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={docs.notice} tabIndex={0} aria-label={d.notice} lang="en">
        <pre>{notice}</pre>
      </section>
    </Stack>
  );
}

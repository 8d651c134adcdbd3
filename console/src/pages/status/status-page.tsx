import { Badge, Button, Container, Group, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import type { SourceStatus, Status } from '../../../../src/contract/status.ts';
import { useLoad } from '../../api/use-load.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { formatInstant, formatNumber, formatRelative } from '../../format.ts';
import { usePageTitle } from '../../head.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import classes from './status.module.css';

/** What this deployment answers from and how old it is, for everybody. */
export function StatusPage() {
  const d = useDocs().status;
  usePageTitle(d.title);
  const { data, problem, reload } = useLoad<Status>('/status');
  return (
    <Container size="lg">
      <Stack gap="lg">
        <Group justify="space-between">
          <Title order={1}>{d.title}</Title>
          <Button variant="default" size="sm" onClick={reload}>
            {d.reload}
          </Button>
        </Group>
        <ProblemAlert problem={problem} />
        {data === undefined && problem === undefined && <Skeleton height={320} />}
        {data !== undefined && <Shown status={data} />}
      </Stack>
    </Container>
  );
}

const healthOf = ({ ready, degraded, sources }: Status): 'loading' | 'degraded' | 'overdue' | 'unread' | 'good' => {
  if (!ready) return 'loading';
  if (degraded) return 'degraded';
  if (sources.some((source) => source.overdue)) return 'overdue';
  return sources.every((source) => source.last_success_at === undefined) ? 'unread' : 'good';
};

const COLOURS = { loading: 'gray', degraded: 'orange', overdue: 'yellow', unread: 'gray', good: 'teal' } as const;

function Shown({ status }: { readonly status: Status }) {
  const d = useDocs().status;
  const { tag } = useLocale();
  const health = healthOf(status);
  const now = new Date();
  const evidence = status.sources.filter((source) => source.feeds !== 'network');
  const network = status.sources.filter((source) => source.feeds === 'network');
  const facts = [
    [d.riskData, status.data_version.risk],
    [d.geoData, status.data_version.geo],
    [d.history, status.history ? d.on : d.off],
    [d.phone, status.phone ? d.on : d.off],
    [d.started, `${formatInstant(tag, new Date(status.started_at))} (${formatRelative(tag, new Date(status.started_at), now)})`],
  ] as const;
  return (
    <>
      <section className={classes.card} data-health={health}>
        <Badge color={COLOURS[health]} size="xl" radius="sm" tt="none" variant="filled" autoContrast>
          {d.health[health].name}
        </Badge>
        <Text mt="sm">{d.health[health].text}</Text>
      </section>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {facts.map(([name, value]) => (
          <section key={name} className={classes.card}>
            <Text size="sm" c="dimmed">
              {name}
            </Text>
            <Text className={classes.value ?? ''}>{value}</Text>
          </section>
        ))}
      </SimpleGrid>
      <Sources title={fill(d.evidenceSources, { n: evidence.length })} sources={evidence} />
      <Sources title={fill(d.networkSources, { n: network.length })} sources={network} />
    </>
  );
}

/** One table of sources, those that want attention first. */
function Sources({ title, sources }: { readonly title: string; readonly sources: readonly SourceStatus[] }) {
  const d = useDocs().status;
  const { tag } = useLocale();
  const now = new Date();
  const sorted = [...sources].sort((a, b) => Number(b.overdue) - Number(a.overdue) || (b.last_success_at ?? '').localeCompare(a.last_success_at ?? ''));
  return (
    <details className={classes.card} open={sources.some((source) => source.overdue || source.last_success_at !== undefined)}>
      <summary className={classes.summary}>{title}</summary>
      <Table.ScrollContainer minWidth={560} type="native">
        <Table aria-label={title} verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              {Object.entries(d.columns).map(([id, name]) => (
                <Table.Th key={id}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted.map((source) => (
              <Table.Tr key={source.id} data-source={source.id}>
                <Table.Td>{source.title}</Table.Td>
                <Table.Td>
                  <code>{source.feeds}</code>
                </Table.Td>
                <Table.Td>{formatNumber(tag, source.rows)}</Table.Td>
                <Table.Td>{source.last_success_at === undefined ? d.never : formatRelative(tag, new Date(source.last_success_at), now)}</Table.Td>
                <Table.Td>
                  <Badge color={source.overdue ? 'orange' : source.last_success_at === undefined ? 'gray' : 'teal'} variant="light" tt="none" radius="sm">
                    {source.overdue ? d.overdue : source.last_success_at === undefined ? d.notRead : d.onTime}
                  </Badge>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  );
}

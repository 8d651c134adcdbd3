import { Badge, Button, Container, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import type { SourceStatus, Status } from '../../../../src/contract/status.ts';
import { useLoad } from '../../api/use-load.ts';
import { FactList } from '../../components/fact-list.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { MissingSources, SourceState } from '../../components/source-state.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { formatInstant, formatNumber, formatRelative } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { useKindName } from '../../messages/use-kind-name.ts';
import { useSourceTexts } from '../../messages/use-source-texts.ts';
import { usePageTitle } from '../../use-document-head.ts';
import classes from './status.module.css';

/** The data this deployment answers from and their age, for all visitors. */
export function StatusPage() {
  const d = useDocs().status;
  usePageTitle(d.title);
  const { data, problem, reload } = useLoad<Status>('/status');
  return (
    <Container size="xl">
      <Stack gap="lg">
        <Group justify="space-between">
          <Title order={1}>{d.title}</Title>
          <Button variant="default" size="sm" onClick={reload}>
            {d.reload}
          </Button>
        </Group>
        <ProblemAlert problem={problem} />
        {data ? <Shown status={data} /> : problem === undefined && <Skeleton height={320} />}
      </Stack>
    </Container>
  );
}

const healthOf = ({ ready, degraded, sources, stores_away }: Status): keyof typeof COLOURS => {
  if (!ready) return 'loading';
  if (stores_away) return 'away';
  if (degraded) return 'degraded';
  if (!sources.some((source) => source.last_success_at)) return 'unread';
  return sources.some(isMissing) ? 'late' : 'good';
};

const isMissing = ({ state }: SourceStatus) => state === 'late' || state === 'never_read';

const COLOURS = {
  loading: 'gray',
  away: 'orange',
  degraded: 'orange',
  late: 'yellow',
  unread: 'blue.8',
  good: 'teal',
} as const;

function Shown({ status }: { readonly status: Status }) {
  const d = useDocs().status;
  const { t, tag } = useLocale();
  const health = healthOf(status);
  const started = new Date(status.started_at);
  const facts = [
    [d.riskData, status.data_version.risk],
    [d.geoData, status.data_version.geo],
    [d.history, status.history ? d.on : d.off],
    [d.phone, status.phone ? d.on : d.off],
    [
      d.started,
      fill(t.site.aside, {
        text: formatInstant(tag, started),
        aside: formatRelative(tag, started),
      }),
    ],
    ...status.clocks.map((one) => [fill(d.clockOf, one), `${formatNumber(tag, one.offset_sec)} s`] as const),
  ] as const;
  return (
    <>
      <section className="card" data-health={health}>
        <Badge color={COLOURS[health]} size="xl" radius="sm" tt="none" variant="filled" autoContrast>
          {d.health[health].name}
        </Badge>
        <Text mt="sm">
          {fill(d.health[health].text, {
            n: status.sources.filter((source) => source.feeds === 'network' && isMissing(source)).length,
            names: new Intl.ListFormat(tag).format(status.stores_away ?? []),
          })}
        </Text>
        <MissingSources evidence={status.evidence} />
      </section>
      <details className="card">
        <summary className={classes.summary}>{d.details}</summary>
        <FactList facts={facts} />
      </details>
      <details className="card">
        <summary className={classes.summary}>{fill(d.sources, { n: status.sources.length })}</summary>
        <Sources sources={status.sources} />
      </details>
    </>
  );
}

/** Missing ones first, then stopped ones. */
const ORDER: readonly SourceStatus['state'][] = ['late', 'never_read', 'retired', 'current', 'off', 'left_out'];

/** Sources that want attention come first. */
function Sources({ sources }: { readonly sources: readonly SourceStatus[] }) {
  const d = useDocs().status;
  const { tag } = useLocale();
  const ago = (at?: string) => (at === undefined ? d.never : formatRelative(tag, new Date(at)));
  const nameOf = useKindName();
  const sorted = useSourceTexts(sources).toSorted(
    (a, b) =>
      ORDER.indexOf(a.state) - ORDER.indexOf(b.state) ||
      (b.last_success_at ?? '').localeCompare(a.last_success_at ?? ''),
  );
  return (
    <TableCard framed={false} label={d.columns.source} columns={Object.values(d.columns)}>
      {sorted.map((source) => (
        <Table.Tr key={source.id} data-source={source.id}>
          <Cell of={d.columns.source}>{source.title}</Cell>
          <Cell of={d.columns.gives}>{nameOf(source.feeds)}</Cell>
          <Cell of={d.columns.rows} whole>
            {formatNumber(tag, source.rows)}
          </Cell>
          <Cell of={d.columns.content} whole>
            {ago(source.content_at)}
            <Text size="xs" c="dimmed">
              {d.clock[source.clock]}
            </Text>
          </Cell>
          <Cell of={d.columns.read} whole>
            {ago(source.last_success_at)}
          </Cell>
          <Cell of={d.columns.state}>
            <SourceState source={source} />
            {source.left_out_because && (
              <Text size="xs" c="dimmed">
                {source.left_out_because}
              </Text>
            )}
          </Cell>
        </Table.Tr>
      ))}
    </TableCard>
  );
}

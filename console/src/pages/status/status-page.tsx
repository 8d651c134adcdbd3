import { Badge, Button, Container, Group, Skeleton, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import type { SourceStatus, Status } from '../../../../src/contract/status.ts';
import { useLoad } from '../../api/use-load.ts';
import { FactList } from '../../components/fact-list.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { MissingSources, SourceState } from '../../components/source-state.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { useTable } from '../../components/use-table.ts';
import { formatInstant, formatNumber, formatRelative } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { useKindName } from '../../messages/use-kind-name.ts';
import { useSourceTexts } from '../../messages/use-source-texts.ts';
import { usePageTitle } from '../../use-document-head.ts';
import { useSlashKey } from '../../use-slash-key.ts';
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
  const [filter, setFilter] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useSlashKey(field);
  const evidence = status.sources.filter((source) => source.feeds !== 'network');
  const network = status.sources.filter((source) => source.feeds === 'network');
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
            n: network.filter(isMissing).length,
            names: new Intl.ListFormat(tag).format(status.stores_away ?? []),
          })}
        </Text>
        <MissingSources evidence={status.evidence} />
      </section>
      <section className="card">
        <FactList facts={facts} />
      </section>
      <TextInput
        ref={field}
        type="search"
        aria-label={d.filter}
        placeholder={d.filter}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
        maw={360}
      />
      <Sources title={fill(d.evidenceSources, { n: evidence.length })} sources={evidence} filter={filter} />
      <Sources title={fill(d.networkSources, { n: network.length })} sources={network} filter={filter} />
    </>
  );
}

/** Missing ones first, then stopped ones. */
const ORDER: readonly SourceStatus['state'][] = ['late', 'never_read', 'retired', 'current', 'off', 'left_out'];

/** One table of sources, those that want attention first. */
function Sources({
  title,
  sources,
  filter,
}: {
  readonly title: string;
  readonly sources: readonly SourceStatus[];
  readonly filter: string;
}) {
  const d = useDocs().status;
  const { t, tag } = useLocale();
  const ago = (at?: string) => (at === undefined ? d.never : formatRelative(tag, new Date(at)));
  const nameOf = useKindName();
  const sorted = useSourceTexts(sources).toSorted(
    (a, b) =>
      ORDER.indexOf(a.state) - ORDER.indexOf(b.state) ||
      (b.last_success_at ?? '').localeCompare(a.last_success_at ?? ''),
  );
  const wanted = filter.trim().toLowerCase();
  const found = sorted.filter((source) =>
    [source.title, nameOf(source.feeds), t.sources.state[source.state]].join('\n').toLowerCase().includes(wanted),
  );
  const { rows, ordered } = useTable(found, [
    { name: d.columns.source, value: (source) => source.title },
    { name: d.columns.gives, value: (source) => nameOf(source.feeds) },
    { name: d.columns.rows, value: (source) => source.rows },
    { name: d.columns.content, value: (source) => source.content_at },
    { name: d.columns.read, value: (source) => source.last_success_at },
    { name: d.columns.state, value: (source) => t.sources.state[source.state] },
  ]);
  return (
    <details
      className="card"
      open={sources.some((source) => source.last_success_at) || (wanted !== '' && found.length > 0)}
    >
      <summary className={classes.summary}>{title}</summary>
      <TableCard framed={false} label={title} columns={ordered} empty={found.length === 0 ? d.noMatch : undefined}>
        {rows.map((source) => (
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
    </details>
  );
}

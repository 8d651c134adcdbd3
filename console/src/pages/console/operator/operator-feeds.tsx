import { Alert, Badge, Group, NativeSelect, Stack, Switch, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import type { ConsoleFeed, ConsoleFeedPage } from '../../../../../src/contract/console.ts';
import type { Status } from '../../../../../src/contract/status.ts';
import { call } from '../../../api/call.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { SendButton } from '../../../components/send-button.tsx';
import { MissingSources, SourceState } from '../../../components/source-state.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { useTable } from '../../../components/use-table.ts';
import { formatNumber, formatRelative } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { useDocs } from '../../../messages/use-docs.ts';
import { useKindName } from '../../../messages/use-kind-name.ts';
import { useSourceTexts } from '../../../messages/use-source-texts.ts';
import classes from '../console.module.css';
import { OperatorQuarantine } from './operator-quarantine.tsx';

/** Background work that fails, then all feeds: readings in quarantine, then each with its state, its clock, and the ages of its content and of its last reading. */
export function OperatorFeeds() {
  const c = useConsole();
  const { data, problem, reload } = useLoad<ConsoleFeedPage>('/operator/feeds');
  const status = useLoad<Status>('/status');
  const { t, tag } = useLocale();
  const [query, setQuery] = useSearchParams();
  const { columns: shared } = useDocs().status;
  const columns = { ...shared, ...c.operator.columns };
  const nameOf = useKindName();
  const feeds = useSourceTexts(data?.feeds ?? []);
  const sorted = feeds.toSorted(troubleFirst);
  const states: Readonly<Record<FeedFilter, string>> = {
    quarantine: c.operator.waiting,
    failing: c.operator.readingFails,
    rowless: c.operator.rowless,
    ...t.sources.state,
  };
  const state = FILTERS.find((name) => name === query.get('state'));
  const { rows: shown, ordered } = useTable(
    sorted.filter((feed) => (state === undefined ? !isRowless(feed) : isIn(feed, state))),
    [
      { name: columns.feed, value: ({ title }) => title },
      { name: columns.gives, value: (feed) => nameOf(feed.feeds) },
      { name: columns.rows, value: ({ rows }) => rows },
      { name: columns.content, value: (feed) => feed.content_at },
      { name: columns.read, value: (feed) => feed.last_success_at },
      { name: columns.actions },
    ],
  );
  return (
    <Stack>
      {status.data !== undefined && (
        <Text size="sm" c="dimmed">
          {fill(c.operator.dataVersion, { ...status.data.data_version })}
          <MissingSources evidence={status.data.evidence} />
        </Text>
      )}
      <ProblemAlert problem={problem} />
      {data !== undefined && data.faults.length > 0 && (
        <Alert color="red" title={c.operator.failing}>
          {data.faults.map(({ job, reason }) => (
            <Text key={job} size="sm">
              <b>{job}</b>: {reason}
            </Text>
          ))}
        </Alert>
      )}
      {data !== undefined && <OperatorQuarantine feeds={feeds} onChanged={reload} />}
      <NativeSelect
        aria-label={c.operator.state}
        value={state ?? ''}
        onChange={({ currentTarget: { value } }) => setQuery(value === '' ? {} : { state: value }, { replace: true })}
        data={[
          {
            value: '',
            label: c.operator.everyState,
          },
          ...FILTERS.map((name) => ({ value: name, n: sorted.filter((feed) => isIn(feed, name)).length }))
            .filter(({ value, n }) => n > 0 || value === state)
            .map(({ value, n }) => ({
              value,
              label: fill(c.operator.inState, { state: states[value], n: formatNumber(tag, n) }),
            })),
        ]}
        maw={360}
      />
      {data !== undefined && (
        <TableCard
          label={c.operator.feeds}
          columns={ordered}
          empty={shown.length === 0 ? c.operator.noMatch : undefined}
        >
          {shown.map((feed) => (
            <FeedRow key={feed.id} feed={feed} onChanged={reload} />
          ))}
        </TableCard>
      )}
    </Stack>
  );
}

/** Filters of the feeds; the page's address keeps the chosen one. */
const FILTERS = [
  'quarantine',
  'failing',
  'late',
  'never_read',
  'retired',
  'left_out',
  'off',
  'current',
  'rowless',
] as const;
type FeedFilter = (typeof FILTERS)[number];

const isIn = (feed: ConsoleFeed, filter: FeedFilter): boolean =>
  filter === 'quarantine'
    ? feed.quarantine !== undefined
    : filter === 'failing'
      ? feed.last_error !== undefined
      : filter === 'rowless'
        ? isRowless(feed)
        : feed.state === filter;

/** A feed that never gave a row here stands behind a choice, unless a reading of it waits for the operator. */
const isRowless = ({ rows, last_success_at: read, quarantine }: ConsoleFeed): boolean =>
  rows === 0 && read === undefined && quarantine === undefined;

/** Feeds that want attention stand above the others, which keep the catalogue's order. */
const troubleFirst = (one: ConsoleFeed, other: ConsoleFeed): number => trouble(other) - trouble(one);
const trouble = ({ state, last_error: error, quarantine }: ConsoleFeed): number =>
  state === 'off'
    ? 0
    : Number(quarantine !== undefined) * 4 + Number(state === 'late') * 2 + Number(error !== undefined);

interface RowProps {
  readonly feed: ConsoleFeed;
  readonly onChanged: () => void;
}

function FeedRow({ feed, onChanged }: RowProps) {
  const c = useConsole();
  const nameOf = useKindName();
  const { locale, tag } = useLocale();
  const { columns: shared, clock } = useDocs().status;
  const columns = { ...shared, ...c.operator.columns };
  const ago = (at: string | undefined): string =>
    at === undefined ? c.operator.never : formatRelative(tag, new Date(at));
  return (
    <Table.Tr data-feed={feed.id}>
      <Cell of={columns.feed}>
        {feed.title}{' '}
        {feed.quarantine !== undefined && (
          <Badge me={4} color="red" variant="light" tt="none" radius="sm">
            {c.operator.waiting}
          </Badge>
        )}
        {feed.state !== 'current' && <SourceState source={feed} />}
        <Text size="xs" c="dimmed">
          {feed.licence}
        </Text>
        {feed.left_out_because !== undefined && (
          <Text size="xs" c="dimmed">
            {feed.left_out_because}
          </Text>
        )}
        {feed.last_error !== undefined && (
          <Text size="xs" className={classes.fault ?? ''}>
            {feed.last_error[locale]}
          </Text>
        )}
      </Cell>
      <Cell of={columns.gives}>{nameOf(feed.feeds)}</Cell>
      <Cell of={columns.rows}>{formatNumber(tag, feed.rows)}</Cell>
      <Cell of={columns.content} whole>
        {ago(feed.content_at)}
        <Text size="xs" c="dimmed">
          {clock[feed.clock]}
        </Text>
      </Cell>
      <Cell of={columns.read} whole>
        {ago(feed.last_success_at)}
      </Cell>
      <Cell of={columns.actions}>
        <FeedActions feed={feed} onChanged={onChanged} />
      </Cell>
    </Table.Tr>
  );
}

function FeedActions({ feed, onChanged }: RowProps) {
  const c = useConsole();
  const [asked, setAsked] = useState(false);
  const path = `/operator/feeds/${encodeURIComponent(feed.id)}`;
  const turn = useSubmit(async () => {
    await call('PATCH', path, { off: feed.state !== 'off' });
    onChanged();
  });
  return (
    <>
      <Group gap="xs" wrap="nowrap" justify="flex-end">
        <SendButton
          path={`${path}/refresh`}
          variant="default"
          disabled={asked}
          onSent={() => setAsked(true)}
          aria-label={`${c.operator.refresh}: ${feed.title}`}
        >
          {asked ? c.operator.refreshing : c.operator.refresh}
        </SendButton>
        <Switch
          size="sm"
          aria-label={`${c.operator.reading}: ${feed.title}`}
          checked={feed.state !== 'off'}
          disabled={turn.busy}
          onChange={() => turn.onSubmit()}
        />
      </Group>
      <ProblemAlert problem={turn.problem} />
    </>
  );
}

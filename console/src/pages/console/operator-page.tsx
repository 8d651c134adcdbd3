import { Alert, Badge, Button, Checkbox, NativeSelect, Stack, Table, Tabs, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { ConsoleAccount, ConsoleAuditEntry, ConsoleFeed } from '../../../../src/contract/console.ts';
import type { Status } from '../../../../src/contract/status.ts';
import { call } from '../../api/call.ts';
import { useLoad } from '../../api/use-load.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { formatInstant, formatNumber, formatRelative } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import { usePageTitle } from '../../use-document-head.ts';
import classes from './console.module.css';
import { planName } from './plan-name.ts';
import { useSubmit } from './use-submit.ts';

/** Pages for accounts marked operator: feeds, accounts, audit log. The service checks the mark again on every request. */
export function OperatorPage({ account, page }: { readonly account: ConsoleAccount; readonly page: string }) {
  const c = useConsole();
  usePageTitle(c.operator.title);
  const { to } = useLocale();
  const [, navigate] = useLocation();
  if (!account.operator) return <Alert>{c.operator.operatorOnly}</Alert>;
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        {c.operator.title}
      </Title>
      <Tabs value={page} onChange={(value) => navigate(to(`/console/operator/${value}`))} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="feeds">{c.operator.feeds}</Tabs.Tab>
          <Tabs.Tab value="accounts">{c.operator.accounts}</Tabs.Tab>
          <Tabs.Tab value="audit">{c.operator.audit}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="feeds" pt="md">
          <Feeds />
        </Tabs.Panel>
        <Tabs.Panel value="accounts" pt="md">
          <Accounts />
        </Tabs.Panel>
        <Tabs.Panel value="audit" pt="md">
          <Audit />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function Feeds() {
  const c = useConsole();
  const { data, problem } = useLoad<{ readonly feeds: readonly ConsoleFeed[] }>('/operator/feeds');
  const status = useLoad<Status>('/status');
  const [filter, setFilter] = useState('');
  const { columns } = c.operator;
  const wanted = filter.trim().toLowerCase();
  const shown = data?.feeds.filter(({ id, title, feeds }) => `${id} ${title} ${feeds}`.toLowerCase().includes(wanted)).sort(troubleFirst);
  return (
    <Stack>
      {status.data !== undefined && (
        <Text size="sm" c="dimmed">
          {fill(c.operator.dataVersion, { ...status.data.data_version })}
        </Text>
      )}
      <ProblemAlert problem={problem} />
      <TextInput
        type="search"
        aria-label={c.operator.filter}
        placeholder={c.operator.filter}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
        maw={360}
      />
      {shown !== undefined && (
        <TableCard
          label={c.operator.feeds}
          columns={[columns.feed, columns.kind, columns.rows, columns.last, columns.actions]}
          empty={shown.length === 0 ? c.operator.noMatch : undefined}
        >
          {shown.map((feed) => (
            <FeedRow key={feed.id} feed={feed} />
          ))}
        </TableCard>
      )}
    </Stack>
  );
}

/** Feeds that want attention stand above the others, which keep the catalogue's order. */
const troubleFirst = (one: ConsoleFeed, other: ConsoleFeed): number => trouble(other) - trouble(one);
const trouble = ({ overdue, last_error: error }: ConsoleFeed): number => Number(overdue) * 2 + Number(error !== undefined);

function FeedRow({ feed }: { readonly feed: ConsoleFeed }) {
  const c = useConsole();
  const { tag } = useLocale();
  const [asked, setAsked] = useState(false);
  const { busy, problem, onSubmit } = useSubmit(async () => {
    await call('POST', `/operator/feeds/${encodeURIComponent(feed.id)}/refresh`);
    setAsked(true);
  });
  const { columns } = c.operator;
  return (
    <Table.Tr data-feed={feed.id}>
      <Cell of={columns.feed}>
        {feed.title}
        {feed.overdue && (
          <Badge ms={6} size="sm" color="orange" variant="light" tt="none">
            {c.operator.overdue}
          </Badge>
        )}
        <Text size="xs" c="dimmed">
          {feed.licence}
        </Text>
        {feed.last_error !== undefined && (
          <Text size="xs" className={classes.fault ?? ''}>
            {feed.last_error}
          </Text>
        )}
        <ProblemAlert problem={problem} />
      </Cell>
      <Cell of={columns.kind}>
        <code>{feed.feeds}</code>
      </Cell>
      <Cell of={columns.rows} whole>
        {formatNumber(tag, feed.rows)}
      </Cell>
      <Cell of={columns.last} whole>
        {feed.last_success_at === undefined ? c.operator.never : formatRelative(tag, new Date(feed.last_success_at), new Date())}
      </Cell>
      <Cell of={columns.actions}>
        <Button
          size="compact-sm"
          variant="default"
          disabled={asked}
          loading={busy}
          onClick={() => onSubmit()}
          aria-label={`${c.operator.refresh}: ${feed.title}`}
        >
          {asked ? c.operator.refreshing : c.operator.refresh}
        </Button>
      </Cell>
    </Table.Tr>
  );
}

function Accounts() {
  const c = useConsole();
  const { data, problem, reload } = useLoad<{ readonly accounts: readonly ConsoleAccount[]; readonly plans: readonly string[] }>('/operator/accounts');
  const { columns } = c.operator;
  return (
    <Stack>
      <ProblemAlert problem={problem} />
      <TableCard label={c.operator.accounts} columns={[columns.email, columns.plan, columns.dpa, columns.phone, columns.actions]}>
        {data?.accounts.map((account) => (
          <AccountRow key={account.id} account={account} plans={data.plans} onSaved={reload} />
        ))}
      </TableCard>
    </Stack>
  );
}

function AccountRow({ account, plans, onSaved }: { readonly account: ConsoleAccount; readonly plans: readonly string[]; readonly onSaved: () => void }) {
  const c = useConsole();
  const [plan, setPlan] = useState(account.plan);
  const [dpa, setDpa] = useState(account.dpa);
  const [phone, setPhone] = useState(account.phone);
  const { busy, problem, onSubmit } = useSubmit(async () => {
    await call('PATCH', `/operator/accounts/${encodeURIComponent(account.id)}`, { plan, dpa, phone });
    onSaved();
  });
  const { columns } = c.operator;
  const changed = plan !== account.plan || dpa !== account.dpa || phone !== account.phone;
  return (
    <Table.Tr data-account={account.id}>
      <Cell of={columns.email}>
        {account.email}
        <ProblemAlert problem={problem} />
      </Cell>
      <Cell of={columns.plan}>
        <NativeSelect
          aria-label={`${columns.plan}: ${account.email}`}
          data={plans.map((value) => ({ value, label: planName(c, value) }))}
          value={plan}
          onChange={(event) => setPlan(event.currentTarget.value)}
        />
      </Cell>
      <Cell of={columns.dpa}>
        <Checkbox aria-label={`${columns.dpa}: ${account.email}`} checked={dpa} onChange={(event) => setDpa(event.currentTarget.checked)} />
      </Cell>
      <Cell of={columns.phone}>
        <Checkbox aria-label={`${columns.phone}: ${account.email}`} checked={phone} onChange={(event) => setPhone(event.currentTarget.checked)} />
      </Cell>
      <Cell of={columns.actions}>
        <Button size="compact-sm" disabled={!changed} loading={busy} onClick={() => onSubmit()}>
          {c.operator.save}
        </Button>
      </Cell>
    </Table.Tr>
  );
}

function Audit() {
  const c = useConsole();
  const { tag } = useLocale();
  const { data, problem } = useLoad<{ readonly entries: readonly ConsoleAuditEntry[] }>('/operator/audit');
  const { columns } = c.operator;
  return (
    <Stack>
      <ProblemAlert problem={problem} />
      <TableCard label={c.operator.audit} columns={[columns.when, columns.who, columns.what, columns.subject, columns.detail]}>
        {data?.entries.map((entry) => (
          <Table.Tr key={`${entry.at} ${entry.action} ${entry.subject}`}>
            <Cell of={columns.when} whole>
              {formatInstant(tag, new Date(entry.at))}
            </Cell>
            <Cell of={columns.who}>{entry.actor}</Cell>
            <Cell of={columns.what} whole>
              <code>{entry.action}</code>
            </Cell>
            <Cell of={columns.subject} whole>
              {entry.subject}
            </Cell>
            <Cell of={columns.detail}>
              <Text size="xs" ff="monospace">
                {detailOf(entry.detail)}
              </Text>
            </Cell>
          </Table.Tr>
        ))}
      </TableCard>
    </Stack>
  );
}

/** `name=value` pairs; a text stands without its quotes. */
const detailOf = (detail: object): string =>
  Object.entries(detail)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');

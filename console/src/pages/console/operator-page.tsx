import { Alert, Badge, Button, Checkbox, Group, NativeSelect, Stack, Table, Tabs, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { ConsoleAccount, ConsoleAuditEntry, ConsoleFeed } from '../../../../src/contract/console.ts';
import type { Status } from '../../../../src/contract/status.ts';
import { call } from '../../api/console.ts';
import { useLoad } from '../../api/use-load.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { formatInstant, formatNumber, formatRelative } from '../../format.ts';
import { usePageTitle } from '../../head.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import classes from './console.module.css';
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
  return (
    <Stack>
      {status.data !== undefined && <Text size="sm">{fill(c.operator.dataVersion, { ...status.data.data_version })}</Text>}
      <ProblemAlert problem={problem} />
      <section className={classes.card}>
        <Table.ScrollContainer minWidth={760} type="native">
          <Table aria-label={c.operator.feeds} verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                {(['feed', 'kind', 'rows', 'last', 'licence', 'error', 'actions'] as const).map((id) => (
                  <Table.Th key={id}>{c.operator.columns[id]}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data?.feeds.map((feed) => (
                <FeedRow key={feed.id} feed={feed} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </section>
    </Stack>
  );
}

function FeedRow({ feed }: { readonly feed: ConsoleFeed }) {
  const c = useConsole();
  const { tag } = useLocale();
  const [asked, setAsked] = useState(false);
  const { busy, problem, onSubmit } = useSubmit(async () => {
    await call('POST', `/operator/feeds/${encodeURIComponent(feed.id)}/refresh`);
    setAsked(true);
  });
  return (
    <Table.Tr data-feed={feed.id}>
      <Table.Td>
        {feed.title}
        {feed.overdue && (
          <Badge ms={6} size="sm" color="orange" variant="light" tt="none">
            {c.operator.overdue}
          </Badge>
        )}
        <ProblemAlert problem={problem} />
      </Table.Td>
      <Table.Td>
        <code>{feed.feeds}</code>
      </Table.Td>
      <Table.Td>{formatNumber(tag, feed.rows)}</Table.Td>
      <Table.Td>{feed.last_success_at === undefined ? c.operator.never : formatRelative(tag, new Date(feed.last_success_at), new Date())}</Table.Td>
      <Table.Td>{feed.licence}</Table.Td>
      <Table.Td>{feed.last_error ?? ''}</Table.Td>
      <Table.Td>
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
      </Table.Td>
    </Table.Tr>
  );
}

function Accounts() {
  const c = useConsole();
  const { data, problem, reload } = useLoad<{ readonly accounts: readonly ConsoleAccount[]; readonly plans: readonly string[] }>('/operator/accounts');
  return (
    <Stack>
      <ProblemAlert problem={problem} />
      <section className={classes.card}>
        <Table.ScrollContainer minWidth={640} type="native">
          <Table aria-label={c.operator.accounts}>
            <Table.Thead>
              <Table.Tr>
                {(['email', 'plan', 'dpa', 'phone', 'actions'] as const).map((id) => (
                  <Table.Th key={id}>{c.operator.columns[id]}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data?.accounts.map((account) => (
                <AccountRow key={account.id} account={account} plans={data.plans} onSaved={reload} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </section>
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
  const changed = plan !== account.plan || dpa !== account.dpa || phone !== account.phone;
  return (
    <Table.Tr data-account={account.id}>
      <Table.Td>
        {account.email}
        <ProblemAlert problem={problem} />
      </Table.Td>
      <Table.Td>
        <NativeSelect
          aria-label={`${c.operator.columns.plan}: ${account.email}`}
          data={[...plans]}
          value={plan}
          onChange={(event) => setPlan(event.currentTarget.value)}
        />
      </Table.Td>
      <Table.Td>
        <Checkbox aria-label={`${c.operator.columns.dpa}: ${account.email}`} checked={dpa} onChange={(event) => setDpa(event.currentTarget.checked)} />
      </Table.Td>
      <Table.Td>
        <Checkbox aria-label={`${c.operator.columns.phone}: ${account.email}`} checked={phone} onChange={(event) => setPhone(event.currentTarget.checked)} />
      </Table.Td>
      <Table.Td>
        <Button size="compact-sm" disabled={!changed} loading={busy} onClick={() => onSubmit()}>
          {c.operator.save}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

function Audit() {
  const c = useConsole();
  const { tag } = useLocale();
  const { data, problem } = useLoad<{ readonly entries: readonly ConsoleAuditEntry[] }>('/operator/audit');
  return (
    <Stack>
      <ProblemAlert problem={problem} />
      <section className={classes.card}>
        <Table.ScrollContainer minWidth={640} type="native">
          <Table aria-label={c.operator.audit}>
            <Table.Thead>
              <Table.Tr>
                {(['when', 'who', 'what', 'subject', 'detail'] as const).map((id) => (
                  <Table.Th key={id}>{c.operator.columns[id]}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data?.entries.map((entry) => (
                <Table.Tr key={`${entry.at} ${entry.action} ${entry.subject}`}>
                  <Table.Td>{formatInstant(tag, new Date(entry.at))}</Table.Td>
                  <Table.Td>{entry.actor}</Table.Td>
                  <Table.Td>{entry.action}</Table.Td>
                  <Table.Td>{entry.subject}</Table.Td>
                  <Table.Td>
                    <Group gap={4}>
                      <code style={{ overflowWrap: 'anywhere' }}>{JSON.stringify(entry.detail)}</code>
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </section>
    </Stack>
  );
}

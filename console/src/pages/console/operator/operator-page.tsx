import {
  Alert,
  Badge,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Stack,
  Table,
  Tabs,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type {
  ConsoleAccount,
  ConsoleAccountPage,
  ConsoleAuditPage,
  ConsoleOperatorAccount,
} from '../../../../../src/contract/console.ts';
import { call } from '../../../api/call.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Page } from '../../../components/page.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { SendButton } from '../../../components/send-button.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { formatDay, formatInstant, formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { usePageTitle } from '../../../use-document-head.ts';
import { NotFoundPage } from '../../not-found-page.tsx';
import { planName } from '../plan-name.ts';
import { OperatorCollection } from './operator-collection.tsx';
import { OperatorFeedback } from './operator-feedback.tsx';
import { OperatorFeeds } from './operator-feeds.tsx';
import { OperatorOverrides } from './operator-overrides.tsx';
import { OperatorToday } from './operator-today.tsx';

/**
 * Pages for accounts marked operator: feeds, accounts, audit log. The service checks the mark again on every
 * request.
 */
export function OperatorPage({ account, page }: { readonly account: ConsoleAccount; readonly page: string }) {
  const c = useConsole();
  usePageTitle(c.operator.title);
  const { to } = useLocale();
  const [, navigate] = useLocation();
  const tabs = [
    ['feeds', c.operator.feeds, OperatorFeeds],
    ['collection', c.operator.collection.title, OperatorCollection],
    ['overrides', c.operator.overrides.title, OperatorOverrides],
    ['feedback', c.operator.feedback.title, OperatorFeedback],
    ['today', c.operator.today.title, OperatorToday],
    ['accounts', c.operator.accounts, Accounts],
    ['audit', c.operator.audit, Audit],
  ] as const;
  if (!account.operator) return <Alert>{c.operator.operatorOnly}</Alert>;
  if (!tabs.some(([tab]) => tab === page)) return <NotFoundPage />;
  return (
    <Page title={c.operator.title}>
      <Tabs value={page} onChange={(value) => navigate(to(`/console/operator/${value}`))} keepMounted={false}>
        <Tabs.List>
          {tabs.map(([tab, title]) => (
            <Tabs.Tab key={tab} value={tab}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(([tab, , Panel]) => (
          <Tabs.Panel key={tab} value={tab} pt="md">
            <Panel />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

function Accounts() {
  const c = useConsole();
  const [typed, setTyped] = useState('');
  const [question, setQuestion] = useState({ search: '', plan: '', after: '' });
  const { data, problem, reload } = useLoad<ConsoleAccountPage>(`/operator/accounts?${new URLSearchParams(question)}`);
  const next = data?.next;
  const { columns } = c.operator;
  return (
    <Stack>
      <ProblemAlert problem={problem} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setQuestion({ ...question, search: typed, after: '' });
        }}
      >
        <Group align="end">
          <TextInput
            type="search"
            name="search"
            label={c.operator.search}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" variant="default">
            {c.operator.find}
          </Button>
          <NativeSelect
            aria-label={columns.plan}
            value={question.plan}
            onChange={({ currentTarget: { value } }) => setQuestion({ ...question, plan: value, after: '' })}
            data={[
              { value: '', label: c.operator.everyPlan },
              ...(data?.plans ?? []).map((value) => ({ value, label: planName(c, value) })),
            ]}
          />
        </Group>
      </form>
      {data?.accounts.length === 0 && <Text role="status">{c.operator.noAccount}</Text>}
      <TableCard
        label={c.operator.accounts}
        columns={[columns.email, columns.plan, columns.verified, columns.dpa, columns.phone, columns.actions]}
      >
        {data?.accounts.map((account) => (
          <AccountRow key={account.id} account={account} plans={data.plans} onSaved={reload} />
        ))}
      </TableCard>
      <PageButtons
        first={question.after === ''}
        next={next}
        onPage={(after) => setQuestion({ ...question, after })}
        of={{ first: c.operator.firstPage, next: c.operator.nextPage }}
      />
    </Stack>
  );
}

function AccountRow({
  account,
  plans,
  onSaved,
}: {
  readonly account: ConsoleOperatorAccount;
  readonly plans: readonly string[];
  readonly onSaved: () => void;
}) {
  const c = useConsole();
  const { tag } = useLocale();
  const [plan, setPlan] = useState(account.plan);
  const [dpa, setDpa] = useState(account.dpa);
  const [phone, setPhone] = useState(account.phone);
  const [verified, setVerified] = useState(account.verified);
  const [deleting, setDeleting] = useState(false);
  const path = `/operator/accounts/${encodeURIComponent(account.id)}`;
  const { busy, problem, onSubmit } = useSubmit(async () => {
    await call('PATCH', path, { plan, dpa, phone, verified });
    onSaved();
  });
  const remove = useSubmit(async () => {
    setDeleting(false);
    await call('DELETE', path);
    onSaved();
  });
  const { columns } = c.operator;
  const changed =
    plan !== account.plan || dpa !== account.dpa || phone !== account.phone || verified !== account.verified;
  return (
    <Table.Tr data-account={account.id}>
      <Cell of={columns.email}>
        {account.email}{' '}
        {account.operator && (
          <Badge variant="light" tt="none" radius="sm">
            {c.operator.title}
          </Badge>
        )}
        {account.disabled && (
          <Badge color="red" variant="light" tt="none" radius="sm">
            {c.operator.disabled}
          </Badge>
        )}
        <Text size="xs" c="dimmed">
          {fill(c.operator.usedToday, {
            used: formatNumber(tag, account.used_today),
            limit: formatNumber(tag, account.per_day),
            keys: formatNumber(tag, account.active_keys),
            day: formatDay(tag, new Date(account.created_at)),
          })}
        </Text>
        <ProblemAlert problem={problem ?? remove.problem} />
      </Cell>
      <Cell of={columns.plan}>
        <NativeSelect
          aria-label={`${columns.plan}: ${account.email}`}
          miw={130}
          data={plans.map((value) => ({ value, label: planName(c, value) }))}
          value={plan}
          onChange={(event) => setPlan(event.currentTarget.value)}
        />
      </Cell>
      <Cell of={columns.verified}>
        <Checkbox
          aria-label={`${columns.verified}: ${account.email}`}
          checked={verified}
          onChange={(event) => setVerified(event.currentTarget.checked)}
        />
      </Cell>
      <Cell of={columns.dpa}>
        <Checkbox
          aria-label={`${columns.dpa}: ${account.email}`}
          checked={dpa}
          onChange={(event) => setDpa(event.currentTarget.checked)}
        />
      </Cell>
      <Cell of={columns.phone}>
        <Checkbox
          aria-label={`${columns.phone}: ${account.email}`}
          checked={phone}
          onChange={(event) => setPhone(event.currentTarget.checked)}
        />
      </Cell>
      <Cell of={columns.actions}>
        <Group gap={4} justify="flex-end">
          <Button size="compact-sm" disabled={!changed} loading={busy} onClick={() => onSubmit()}>
            {c.operator.save}
          </Button>
          {!account.operator && (
            <>
              <SendButton
                method="PATCH"
                path={path}
                body={{ disabled: !account.disabled }}
                variant="default"
                onSent={onSaved}
              >
                {account.disabled ? c.operator.enable : c.operator.disable}
              </SendButton>
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                loading={remove.busy}
                onClick={() => setDeleting(true)}
              >
                {c.operator.delete}
              </Button>
              <ConfirmDialog
                opened={deleting}
                title={fill(c.operator.deleteTitle, { email: account.email })}
                text={c.operator.deleteText}
                action={c.operator.deleteConfirm}
                busy={remove.busy}
                onConfirm={remove.onSubmit}
                onClose={() => setDeleting(false)}
              />
            </>
          )}
        </Group>
      </Cell>
    </Table.Tr>
  );
}

function Audit() {
  const c = useConsole();
  const { tag } = useLocale();
  const [after, setAfter] = useState('');
  const { data, problem } = useLoad<ConsoleAuditPage>(`/operator/audit?${new URLSearchParams({ after })}`);
  const next = data?.next;
  const { columns } = c.operator;
  return (
    <Stack>
      <ProblemAlert problem={problem} />
      <TableCard
        label={c.operator.audit}
        columns={[columns.when, columns.who, columns.what, columns.subject, columns.detail]}
      >
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
      <PageButtons
        first={after === ''}
        next={next}
        onPage={setAfter}
        of={{ first: c.operator.firstEntries, next: c.operator.nextEntries }}
      />
    </Stack>
  );
}

interface PageButtonsProps {
  /** Whether this is the first page. */
  readonly first: boolean;
  readonly next: string | undefined;
  readonly onPage: (after: string) => void;
  readonly of: { readonly first: string; readonly next: string };
}

/** Back to the newest page, and on to the next. */
function PageButtons({ first, next, onPage, of }: PageButtonsProps) {
  return (
    <Group>
      {!first && (
        <Button variant="default" onClick={() => onPage('')}>
          {of.first}
        </Button>
      )}
      {next !== undefined && (
        <Button variant="default" onClick={() => onPage(next)}>
          {of.next}
        </Button>
      )}
    </Group>
  );
}

/** `name=value` pairs; a text stands without its quotes, and a moment as RFC 3339. */
const detailOf = (detail: object): string =>
  Object.entries(detail)
    .map(
      ([name, value]) =>
        `${name}=${MOMENT.test(name) && typeof value === 'number' ? new Date(value).toISOString() : textOf(value)}`,
    )
    .join(' ');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const MOMENT = /^(?:until|from|to|since)$|At$/;

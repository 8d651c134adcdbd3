import {
  Badge,
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useState } from 'react';
import type { ConsoleAccount } from '../../../../../src/contract/console.ts';
import type { WatchDeliveries, WatchDelivery, Watchlist, Watchlists } from '../../../../../src/contract/documents.ts';
import { LEVELS } from '../../../../../src/contract/risk.ts';
import { WATCHED_CHANGES, type WatchedChange } from '../../../../../src/contract/watched-changes.ts';
import { call } from '../../../api/call.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Form } from '../../../components/form.tsx';
import { Page } from '../../../components/page.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { SendButton } from '../../../components/send-button.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { formatInstant, formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { usePageTitle } from '../../../use-document-head.ts';
import { NewSecret } from '../new-secret.tsx';

const pathOf = (id: string): string => `/watchlists/${encodeURIComponent(id)}`;
const REFRESH_MS = 3000;

/** Watch lists of the account: set, test and delete them, and see what was delivered. */
export function WatchlistsPage({ account }: { readonly account: ConsoleAccount }) {
  const { watchlists: w, common } = useConsole();
  usePageTitle(w.title);
  const isOpen = account.data_tier === 'professional';
  const { data, problem, reload } = useLoad<Watchlists>(isOpen ? '/watchlists' : undefined, REFRESH_MS);
  const [editing, setEditing] = useState<Watchlist | 'new'>();
  const [secret, setSecret] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  const [deleting, setDeleting] = useState<Watchlist>();
  const remove = useSubmit(async () => {
    if (deleting === undefined) return;
    await call('DELETE', pathOf(deleting.id));
    setDeleting(undefined);
    setChosen(undefined);
    reload();
  });
  const shown = data?.watchlists.find(({ id }) => id === chosen) ?? data?.watchlists[0];
  return (
    <Page title={w.title} lead={w.lead} aside={isOpen && <Button onClick={() => setEditing('new')}>{w.create}</Button>}>
      {!isOpen && <Text>{w.tier}</Text>}
      <ProblemAlert problem={problem ?? remove.problem} />
      {secret !== undefined && (
        <NewSecret
          order={2}
          title={w.secret}
          once={w.once}
          secret={secret}
          testId="webhook-secret"
          onDone={() => setSecret(undefined)}
        />
      )}
      {data !== undefined && (
        <ListTable lists={data.watchlists} onEdit={setEditing} onShow={setChosen} onDelete={setDeleting} />
      )}
      {shown !== undefined && <Deliveries key={shown.id} list={shown} />}
      <Modal
        opened={editing !== undefined}
        onClose={() => setEditing(undefined)}
        title={editing === 'new' ? w.create : w.edit}
        centered
        closeButtonProps={{ 'aria-label': common.cancel }}
      >
        <ListForm
          list={editing === 'new' ? undefined : editing}
          onCancel={() => setEditing(undefined)}
          onSaved={(saved) => {
            setEditing(undefined);
            setSecret(saved.webhook.secret);
            setChosen(saved.id);
            reload();
          }}
        />
      </Modal>
      <ConfirmDialog
        opened={deleting !== undefined}
        title={fill(w.deleteTitle, { name: deleting?.name ?? '' })}
        text={w.deleteText}
        action={w.delete}
        busy={remove.busy}
        onConfirm={remove.onSubmit}
        onClose={() => setDeleting(undefined)}
      />
    </Page>
  );
}

function ListTable({
  lists,
  onEdit,
  onShow,
  onDelete,
}: {
  readonly lists: readonly Watchlist[];
  readonly onEdit: (list: Watchlist) => void;
  readonly onShow: (id: string) => void;
  readonly onDelete: (list: Watchlist) => void;
}) {
  const { watchlists: w } = useConsole();
  const { tag, t } = useLocale();
  const { columns } = w;
  return (
    <TableCard label={w.title} columns={Object.values(columns)} empty={lists.length === 0 ? w.empty : undefined}>
      {lists.map((list) => (
        <Table.Tr key={list.id} data-watchlist={list.id}>
          <Cell of={columns.name}>
            {list.name} <code>{list.id}</code>
          </Cell>
          <Cell of={columns.entries}>{formatNumber(tag, list.entries.length)}</Cell>
          <Cell of={columns.on}>
            {new Intl.ListFormat(tag).format(list.on.map((one) => w.on[one]))}
            {list.min_level !== undefined && ` · ${fill(w.from, { level: t.verdict.level[list.min_level] })}`}
          </Cell>
          <Cell of={columns.url}>
            {list.webhook.url}
            <Gone list={list} />
          </Cell>
          <Cell of={columns.actions}>
            <Group gap={4}>
              <Action name={w.deliveries} of={list} onClick={() => onShow(list.id)} />
              <Action name={w.edit} of={list} onClick={() => onEdit(list)} />
              <Action name={w.delete} of={list} onClick={() => onDelete(list)} color="red" />
            </Group>
          </Cell>
        </Table.Tr>
      ))}
    </TableCard>
  );
}

function Gone({ list: { webhook } }: { readonly list: Watchlist }) {
  const { watchlists: w } = useConsole();
  const { tag } = useLocale();
  if (webhook.gone_at === undefined) return null;
  return <Text c="red">{fill(w.gone, { when: formatInstant(tag, new Date(webhook.gone_at)) })}</Text>;
}

function Action({
  name,
  of,
  color,
  onClick,
}: {
  readonly name: string;
  readonly of: Watchlist;
  readonly color?: string;
  readonly onClick: () => void;
}) {
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      aria-label={`${name}: ${of.name}`}
      onClick={onClick}
      {...(color !== undefined && { color })}
    >
      {name}
    </Button>
  );
}

const STATE_COLOURS: Readonly<Record<WatchDelivery['state'], string>> = {
  delivered: 'teal',
  waiting: 'yellow',
  failed: 'red',
};

function Deliveries({ list }: { readonly list: Watchlist }) {
  const { watchlists: w } = useConsole();
  const { tag } = useLocale();
  const path = pathOf(list.id);
  const { data, problem, reload } = useLoad<WatchDeliveries>(`${path}/deliveries`, REFRESH_MS);
  const { sent: columns } = w;
  return (
    <Stack component="section" gap="sm" aria-labelledby="deliveries">
      <Group justify="space-between">
        <Title order={2} size="h3" id="deliveries">
          {fill(w.deliveriesOf, { name: list.name })}
        </Title>
        <SendButton size="sm" variant="light" path={`${path}/test`} onSent={reload}>
          {w.test}
        </SendButton>
      </Group>
      <ProblemAlert problem={problem} />
      <Gone list={list} />
      <TableCard
        label={w.deliveries}
        columns={Object.values(columns)}
        empty={data === undefined ? '…' : data.deliveries.length === 0 ? w.none : undefined}
      >
        {data?.deliveries.map((one) => (
          <Table.Tr key={one.id} data-delivery={one.id}>
            <Cell of={columns.at} whole>
              {formatInstant(tag, new Date(one.at))}
            </Cell>
            <Cell of={columns.ip}>{one.ip ?? w.testMessage}</Cell>
            <Cell of={columns.state}>
              <Badge variant="light" color={STATE_COLOURS[one.state]} tt="none">
                {w.states[one.state]}
              </Badge>
            </Cell>
            <Cell of={columns.result}>
              {one.result && `${one.result} · `}
              {fill(w.attempts, { n: one.attempts })}
            </Cell>
            <Cell of={columns.actions}>
              <SendButton path={`${path}/deliveries/${encodeURIComponent(one.id)}/replay`} onSent={reload}>
                {w.replay}
              </SendButton>
            </Cell>
          </Table.Tr>
        ))}
      </TableCard>
    </Stack>
  );
}

function ListForm({
  list,
  onSaved,
  onCancel,
}: {
  readonly list: Watchlist | undefined;
  readonly onSaved: (saved: Watchlist) => void;
  readonly onCancel: () => void;
}) {
  const { watchlists: w } = useConsole();
  const { t } = useLocale();
  const [id, setId] = useState(list?.id ?? '');
  const [name, setName] = useState(list?.name ?? '');
  const [entries, setEntries] = useState(list?.entries.join('\n') ?? '');
  const [on, setOn] = useState<readonly WatchedChange[]>(list?.on ?? WATCHED_CHANGES);
  const [minLevel, setMinLevel] = useState<string>(list?.min_level ?? '');
  const [url, setUrl] = useState(list?.webhook.url ?? '');
  const form = useSubmit(async () => {
    const body = {
      ...{ name, on, webhook: { url: url.trim() } },
      entries: entries.split(/[\s,;]+/).filter((entry) => entry !== ''),
      ...(minLevel !== '' && { min_level: minLevel }),
    };
    onSaved(await call<Watchlist>('PUT', pathOf(id.trim()), body));
  });
  const levels = LEVELS.filter((level) => level !== 'none').map((value) => ({
    value,
    label: fill(w.from, { level: t.verdict.level[value] }),
  }));
  return (
    <Form of={form} action={w.save} onCancel={onCancel}>
      <TextInput
        required
        maxLength={80}
        label={w.columns.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        required
        label={w.id}
        description={w.idHint}
        pattern="[a-z0-9][a-z0-9_\-]{0,63}"
        disabled={list !== undefined}
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
      />
      <Textarea
        required
        autosize
        minRows={4}
        maxRows={12}
        label={w.columns.entries}
        description={w.entriesHint}
        value={entries}
        onChange={(event) => setEntries(event.currentTarget.value)}
      />
      <Checkbox.Group label={w.columns.on} value={[...on]} onChange={(value) => setOn(value as WatchedChange[])}>
        <Group mt={4}>
          {WATCHED_CHANGES.map((one) => (
            <Checkbox key={one} value={one} label={w.on[one]} />
          ))}
        </Group>
      </Checkbox.Group>
      <NativeSelect
        label={w.minLevel}
        data={[{ value: '', label: w.everyLevel }, ...levels]}
        value={minLevel}
        onChange={(event) => setMinLevel(event.currentTarget.value)}
      />
      <TextInput
        required
        type="url"
        label={w.columns.url}
        description={w.urlHint}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
    </Form>
  );
}

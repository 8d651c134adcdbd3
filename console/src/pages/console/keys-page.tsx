import { Badge, Button, Checkbox, Group, Modal, NumberInput, SimpleGrid, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleAccount, ConsoleKey, ConsoleNewKey } from '../../../../src/contract/console.ts';
import { call } from '../../api/console.ts';
import { useLoad } from '../../api/use-load.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { formatInstant, formatNumber } from '../../format.ts';
import { usePageTitle } from '../../head.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import classes from './console.module.css';
import { useSubmit } from './use-submit.ts';

const stateOf = (key: ConsoleKey, now: number): 'active' | 'revoked' | 'expired' =>
  key.revoked_at !== undefined ? 'revoked' : key.expires_at !== undefined && Date.parse(key.expires_at) <= now ? 'expired' : 'active';

/** Create, see and revoke keys. A new key's secret lives in this page's memory until the reader says it is copied, and nowhere else. */
export function KeysPage({ account }: { readonly account: ConsoleAccount }) {
  const c = useConsole();
  usePageTitle(c.keys.title);
  const { data, problem, reload } = useLoad<{ readonly keys: readonly ConsoleKey[] }>('/keys');
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<ConsoleNewKey>();
  const [revoking, setRevoking] = useState<ConsoleKey>();
  const revoke = useSubmit(async () => {
    if (revoking === undefined) return;
    await call('DELETE', `/keys/${encodeURIComponent(revoking.id)}`);
    setRevoking(undefined);
    reload();
  });

  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2">
            {c.keys.title}
          </Title>
          <Text c="dimmed">{c.keys.lead}</Text>
        </div>
        <Button onClick={() => setCreating(true)}>{c.keys.create}</Button>
      </Group>
      <ProblemAlert problem={problem ?? revoke.problem} />
      {made !== undefined && <NewKey made={made} onDone={() => setMade(undefined)} />}
      {data !== undefined && <KeyTable keys={data.keys} onRevoke={setRevoking} />}
      <Modal opened={creating} onClose={() => setCreating(false)} title={c.keys.create} centered closeButtonProps={{ 'aria-label': c.keys.cancel }}>
        <CreateForm
          account={account}
          onCancel={() => setCreating(false)}
          onMade={(key) => {
            setCreating(false);
            setMade(key);
            reload();
          }}
        />
      </Modal>
      <ConfirmDialog
        opened={revoking !== undefined}
        title={fill(c.keys.revokeTitle, { name: revoking?.name ?? '' })}
        text={c.keys.revokeText}
        action={c.keys.revoke}
        busy={revoke.busy}
        onConfirm={revoke.onSubmit}
        onClose={() => setRevoking(undefined)}
      />
    </Stack>
  );
}

function NewKey({ made, onDone }: { readonly made: ConsoleNewKey; readonly onDone: () => void }) {
  const c = useConsole();
  return (
    <section className={classes.card} aria-label={c.keys.created}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {c.keys.created}
        </Title>
        <Text>{c.keys.once}</Text>
        <code className={classes.secret} data-testid="new-key">
          {made.key}
        </code>
        <Group>
          <CopyButton text={made.key} />
          <Button size="xs" variant="light" onClick={onDone}>
            {c.keys.done}
          </Button>
        </Group>
        <CodeBlock label={c.keys.try} code={`curl -H 'X-API-Key: ${made.key}' ${location.origin}/v1/ip/8.8.8.8`} />
      </Stack>
    </section>
  );
}

function KeyTable({ keys, onRevoke }: { readonly keys: readonly ConsoleKey[]; readonly onRevoke: (key: ConsoleKey) => void }) {
  const c = useConsole();
  const { tag } = useLocale();
  const now = Date.now();
  if (keys.length === 0) return <Text c="dimmed">{c.keys.empty}</Text>;
  return (
    <section className={classes.card}>
      <Table.ScrollContainer minWidth={640} type="native">
        <Table verticalSpacing="sm" aria-label={c.keys.title}>
          <Table.Thead>
            <Table.Tr>
              {Object.entries(c.keys.columns).map(([id, name]) => (
                <Table.Th key={id}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map((key) => {
              const state = stateOf(key, now);
              return (
                <Table.Tr key={key.id} data-key={key.id}>
                  <Table.Td>{key.name || c.keys.unnamed}</Table.Td>
                  <Table.Td>
                    <code>{key.prefix}…</code>
                  </Table.Td>
                  <Table.Td>
                    {formatNumber(tag, key.used_today)}
                    {key.per_day !== undefined && ` / ${formatNumber(tag, key.per_day)}`}
                  </Table.Td>
                  <Table.Td>{key.last_used_at === undefined ? c.keys.never : formatInstant(tag, new Date(key.last_used_at))}</Table.Td>
                  <Table.Td>{key.expires_at === undefined ? c.keys.never : formatInstant(tag, new Date(key.expires_at))}</Table.Td>
                  <Table.Td>
                    <Badge variant={state === 'active' ? 'light' : 'outline'} color={state === 'active' ? 'pulse' : 'gray'} tt="none">
                      {c.keys.state[state]}
                    </Badge>
                  </Table.Td>
                  <Table.Td>
                    {state !== 'revoked' && (
                      <Button size="compact-sm" variant="subtle" color="red" onClick={() => onRevoke(key)} aria-label={`${c.keys.revoke}: ${key.name}`}>
                        {c.keys.revoke}
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

interface CreateProps {
  readonly account: ConsoleAccount;
  readonly onMade: (key: ConsoleNewKey) => void;
  readonly onCancel: () => void;
}

function CreateForm({ account, onMade, onCancel }: CreateProps) {
  const c = useConsole();
  const [name, setName] = useState('');
  const [cap, setCap] = useState<number | string>('');
  const [expires, setExpires] = useState('');
  const [phone, setPhone] = useState(account.phone);
  const { busy, problem, onSubmit } = useSubmit(async () => {
    onMade(
      await call<ConsoleNewKey>('POST', '/keys', {
        name: name.trim(),
        ...(cap === '' ? {} : { per_day: Number(cap) }),
        // The end of the chosen day where the reader is.
        ...(expires === '' ? {} : { expires_at: new Date(`${expires}T23:59:59.999`).toISOString() }),
        ...(account.phone ? { phone } : {}),
      }),
    );
  });
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <ProblemAlert problem={problem} />
        <TextInput
          required
          maxLength={80}
          label={c.keys.name}
          placeholder={c.keys.namePlaceholder}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NumberInput label={c.keys.cap} description={c.keys.capHint} min={0} allowDecimal={false} value={cap} onChange={setCap} />
          <TextInput
            type="date"
            label={c.keys.expires}
            description={c.keys.expiresHint}
            value={expires}
            onChange={(event) => setExpires(event.currentTarget.value)}
          />
        </SimpleGrid>
        {account.phone && <Checkbox label={c.keys.phone} checked={phone} onChange={(event) => setPhone(event.currentTarget.checked)} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {c.keys.cancel}
          </Button>
          <Button type="submit" loading={busy}>
            {c.keys.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import { Badge, Button, Checkbox, Modal, NumberInput, SimpleGrid, Switch, Table, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleAccount, ConsoleKey, ConsoleNewKey } from '../../../../../src/contract/console.ts';
import { call } from '../../../api/call.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { CodeBlock } from '../../../components/code-block.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Form } from '../../../components/form.tsx';
import { KeyState } from '../../../components/key-state.tsx';
import { Page } from '../../../components/page.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { useTable } from '../../../components/use-table.ts';
import { endOfDay, formatInstant, formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { usePageTitle } from '../../../use-document-head.ts';
import { NewSecret } from '../new-secret.tsx';
import { AppsPanel } from './apps-panel.tsx';

const stateOf = (key: ConsoleKey, now: number): 'active' | 'revoked' | 'expired' =>
  key.revoked_at !== undefined
    ? 'revoked'
    : key.expires_at !== undefined && Date.parse(key.expires_at) <= now
      ? 'expired'
      : 'active';

/**
 * Create, see and revoke keys, and disconnect authorised apps (interface, Authentication 7: they are listed
 * in the key panel). A new key's secret lives in this page's memory until the reader says it is copied, and
 * nowhere else.
 */
export function KeysPage({ account }: { readonly account: ConsoleAccount }) {
  const c = useConsole();
  usePageTitle(c.keys.title);
  const { data, problem, reload } = useLoad<{ readonly keys: readonly ConsoleKey[] }>('/keys');
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<ConsoleNewKey & { readonly sendOnly: boolean }>();
  const [revoking, setRevoking] = useState<ConsoleKey>();
  const revoke = useSubmit(async () => {
    if (revoking === undefined) return;
    await call('DELETE', `/keys/${encodeURIComponent(revoking.id)}`);
    setRevoking(undefined);
    reload();
  });

  return (
    <Page
      title={c.keys.title}
      lead={c.keys.lead}
      aside={<Button onClick={() => setCreating(true)}>{c.keys.create}</Button>}
    >
      <ProblemAlert problem={problem ?? revoke.problem} />
      {made !== undefined && <NewKey made={made} sendOnly={made.sendOnly} onDone={() => setMade(undefined)} />}
      {data !== undefined && <KeyTable keys={data.keys} onRevoke={setRevoking} />}
      {data !== undefined && <AppsPanel />}
      <Modal
        opened={creating}
        onClose={() => setCreating(false)}
        title={c.keys.create}
        centered
        closeButtonProps={{ 'aria-label': c.keys.cancel }}
      >
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
    </Page>
  );
}

function NewKey({
  made,
  sendOnly,
  onDone,
}: {
  readonly made: ConsoleNewKey;
  readonly sendOnly: boolean;
  readonly onDone: () => void;
}) {
  const c = useConsole();
  return (
    <NewSecret order={2} title={c.keys.created} once={c.keys.once} secret={made.key} testId="new-key" onDone={onDone}>
      {!sendOnly && (
        <CodeBlock label={c.keys.try} code={`curl -H 'X-API-Key: ${made.key}' ${location.origin}/v1/ip/8.8.8.8`} />
      )}
    </NewSecret>
  );
}

function KeyTable({
  keys,
  onRevoke,
}: {
  readonly keys: readonly ConsoleKey[];
  readonly onRevoke: (key: ConsoleKey) => void;
}) {
  const c = useConsole();
  const { tag } = useLocale();
  const now = Date.now();
  const { columns } = c.keys;
  const { rows, ordered } = useTable(keys, [
    { name: columns.name, value: ({ name }) => name },
    { name: columns.key, value: ({ prefix }) => prefix },
    { name: columns.used, value: (key) => key.used_today },
    { name: columns.lastUsed, value: (key) => key.last_used_at },
    { name: columns.expires, value: (key) => key.expires_at },
    { name: columns.state, value: (key) => stateOf(key, now) },
    { name: columns.actions },
  ]);
  return (
    <TableCard label={c.keys.title} columns={ordered} empty={keys.length === 0 ? c.keys.empty : undefined}>
      {rows.map((key) => {
        const state = stateOf(key, now);
        return (
          <Table.Tr key={key.id} data-key={key.id}>
            <Cell of={columns.name}>{key.name || c.keys.unnamed}</Cell>
            <Cell of={columns.key}>
              <code>{key.prefix}…</code>
            </Cell>
            <Cell of={columns.used}>
              {formatNumber(tag, key.used_today)}
              {key.per_day !== undefined && ` / ${formatNumber(tag, key.per_day)}`}
            </Cell>
            <Cell of={columns.lastUsed} whole>
              {key.last_used_at === undefined ? c.keys.never : formatInstant(tag, new Date(key.last_used_at))}
            </Cell>
            <Cell of={columns.expires} whole>
              {key.expires_at === undefined ? c.keys.noExpiry : formatInstant(tag, new Date(key.expires_at))}
            </Cell>
            <Cell of={columns.state}>
              {key.send_only && (
                <Badge variant="outline" color="gray" tt="none" mr={4}>
                  {`${c.keys.sends}: ${key.source}`}
                </Badge>
              )}
              {key.evidence && (
                <Badge variant="outline" color="gray" tt="none" mr={4}>
                  {key.networks ? c.keys.writesNetworks : c.keys.writes}
                </Badge>
              )}
              {key.bouncer !== undefined && (
                <Badge variant="outline" color="gray" tt="none" mr={4}>
                  {c.keys.isBouncer}
                </Badge>
              )}
              <KeyState of={state} />
            </Cell>
            <Cell of={columns.actions}>
              {state !== 'revoked' && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  onClick={() => onRevoke(key)}
                  aria-label={`${c.keys.revoke}: ${key.name}`}
                >
                  {c.keys.revoke}
                </Button>
              )}
            </Cell>
          </Table.Tr>
        );
      })}
    </TableCard>
  );
}

interface CreateProps {
  readonly account: ConsoleAccount;
  readonly onMade: (key: ConsoleNewKey & { readonly sendOnly: boolean }) => void;
  readonly onCancel: () => void;
}

function CreateForm({ account, onMade, onCancel }: CreateProps) {
  const c = useConsole();
  const [name, setName] = useState('');
  const [cap, setCap] = useState<number | string>('');
  const [expires, setExpires] = useState('');
  const [phone, setPhone] = useState(account.phone);
  const [sendOnly, setSendOnly] = useState(false);
  const [source, setSource] = useState('');
  const [evidence, setEvidence] = useState(false);
  const [networks, setNetworks] = useState(false);
  const [bouncer, setBouncer] = useState<Bouncer>();
  const form = useSubmit(async () => {
    const key = await call<ConsoleNewKey>('POST', '/keys', {
      name: name.trim(),
      ...(cap === '' ? {} : { per_day: Number(cap) }),
      ...(expires === '' ? {} : { expires_at: endOfDay(expires) }),
      ...(account.phone ? { phone } : {}),
      ...(sendOnly ? { send_only: true, source: source.trim() } : evidence ? { evidence, networks } : {}),
      ...(bouncer === undefined || sendOnly ? {} : { bouncer }),
    });
    onMade({ ...key, sendOnly });
  });
  return (
    <Form of={form} action={c.keys.submit} onCancel={onCancel}>
      <TextInput
        required
        maxLength={80}
        label={c.keys.name}
        placeholder={c.keys.namePlaceholder}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'end' }}>
        <NumberInput
          label={c.keys.cap}
          description={c.keys.capHint}
          min={0}
          allowDecimal={false}
          value={cap}
          onChange={setCap}
        />
        <TextInput
          type="date"
          label={c.keys.expires}
          description={c.keys.expiresHint}
          value={expires}
          onChange={(event) => setExpires(event.currentTarget.value)}
        />
      </SimpleGrid>
      {account.phone && (
        <Checkbox label={c.keys.phone} checked={phone} onChange={(event) => setPhone(event.currentTarget.checked)} />
      )}
      {account.operator && (
        <Checkbox
          label={c.keys.sendOnly}
          checked={sendOnly}
          onChange={(event) => setSendOnly(event.currentTarget.checked)}
        />
      )}
      {sendOnly && (
        <TextInput
          required
          maxLength={64}
          label={c.keys.source}
          description={c.keys.sourceHint}
          placeholder="sensor-1"
          value={source}
          onChange={(event) => setSource(event.currentTarget.value)}
        />
      )}
      {!sendOnly && <BouncerFields bouncer={bouncer} onChange={setBouncer} />}
      {account.operator && !sendOnly && (
        <Switch
          label={c.keys.evidence}
          description={c.keys.evidenceHint}
          checked={evidence}
          onChange={(event) => setEvidence(event.currentTarget.checked)}
        />
      )}
      {evidence && !sendOnly && (
        <Switch
          label={c.keys.networks}
          checked={networks}
          onChange={(event) => setNetworks(event.currentTarget.checked)}
        />
      )}
    </Form>
  );
}

type Bouncer = NonNullable<ConsoleKey['bouncer']>;

/** These are the defaults of `pulse key create --bouncer`. */
const BOUNCER: Bouncer = { min_score: 70, max: 15_000, single_addresses: false };

function BouncerFields({
  bouncer,
  onChange,
}: {
  readonly bouncer: Bouncer | undefined;
  readonly onChange: (bouncer: Bouncer | undefined) => void;
}) {
  const { keys: k } = useConsole();
  return (
    <>
      <Checkbox
        label={k.bouncer}
        checked={bouncer !== undefined}
        onChange={(event) => onChange(event.currentTarget.checked ? BOUNCER : undefined)}
      />
      {bouncer !== undefined && (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NumberInput
            required
            label={k.bouncerScore}
            min={1}
            max={100}
            allowDecimal={false}
            value={bouncer.min_score}
            onChange={(value) => onChange({ ...bouncer, min_score: Number(value) })}
          />
          <NumberInput
            required
            label={k.bouncerMax}
            min={1}
            allowDecimal={false}
            value={bouncer.max}
            onChange={(value) => onChange({ ...bouncer, max: Number(value) })}
          />
          <Checkbox
            label={k.single}
            description={k.singleHint}
            checked={bouncer.single_addresses}
            onChange={(event) => onChange({ ...bouncer, single_addresses: event.currentTarget.checked })}
          />
        </SimpleGrid>
      )}
    </>
  );
}

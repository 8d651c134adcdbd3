import { Alert, Button, Group, Modal, NativeSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleOverride, ConsoleOverrides } from '../../../../../src/contract/console.ts';
import { RISK_TYPES } from '../../../../../src/contract/risk.ts';
import { call } from '../../../api/call.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Form } from '../../../components/form.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { useTable } from '../../../components/use-table.ts';
import { endOfDay, formatInstant } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { useKindName } from '../../../messages/use-kind-name.ts';

/** Corrections of verdicts: make and end them. */
export function OperatorOverrides() {
  const c = useConsole();
  const { overrides: o } = c.operator;
  const { tag } = useLocale();
  const nameOf = useKindName();
  const { data, problem, reload } = useLoad<ConsoleOverrides>('/operator/overrides');
  const [creating, setCreating] = useState(false);
  const [ending, setEnding] = useState<ConsoleOverride>();
  const end = useSubmit(async () => {
    if (ending === undefined) return;
    await call('DELETE', `/operator/overrides/${encodeURIComponent(ending.id)}`);
    setEnding(undefined);
    reload();
  });
  const { columns } = o;
  const { rows, ordered } = useTable(data?.overrides ?? [], [
    { name: columns.prefix, value: ({ prefix }) => prefix },
    {
      name: columns.verdict,
      value: ({ deny }) => (deny === undefined ? o.allow : fill(o.deny, { kind: nameOf(deny) })),
    },
    { name: columns.reason, value: ({ reason }) => reason },
    { name: columns.until, value: ({ until }) => until },
    { name: columns.actions },
  ]);
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" style={{ flex: '1 1 240px' }}>
          {o.lead}
        </Text>
        <Button onClick={() => setCreating(true)}>{o.create}</Button>
      </Group>
      <ProblemAlert problem={problem ?? end.problem} />
      <TableCard label={o.title} columns={ordered} empty={data?.overrides.length === 0 ? o.empty : undefined}>
        {rows.map((one) => (
          <Table.Tr key={one.id} data-override={one.prefix}>
            <Cell of={columns.prefix}>
              <Text ff="monospace">{one.prefix}</Text>
            </Cell>
            <Cell of={columns.verdict}>
              {one.deny === undefined ? o.allow : fill(o.deny, { kind: nameOf(one.deny) })}
            </Cell>
            <Cell of={columns.reason}>{one.reason}</Cell>
            <Cell of={columns.until}>{formatInstant(tag, new Date(one.until))}</Cell>
            <Cell of={columns.actions}>
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                onClick={() => setEnding(one)}
                aria-label={`${o.end}: ${one.prefix}`}
              >
                {o.end}
              </Button>
            </Cell>
          </Table.Tr>
        ))}
      </TableCard>
      <Modal
        opened={creating}
        onClose={() => setCreating(false)}
        title={o.create}
        centered
        closeButtonProps={{ 'aria-label': c.common.cancel }}
      >
        <CreateForm
          onCancel={() => setCreating(false)}
          onMade={() => {
            setCreating(false);
            reload();
          }}
        />
      </Modal>
      <ConfirmDialog
        opened={ending !== undefined}
        title={fill(o.endTitle, { prefix: ending?.prefix ?? '' })}
        text={o.endText}
        action={o.end}
        busy={end.busy}
        onConfirm={end.onSubmit}
        onClose={() => setEnding(undefined)}
      />
    </Stack>
  );
}

const ALLOW = 'allow';

function CreateForm({ onMade, onCancel }: { readonly onMade: () => void; readonly onCancel: () => void }) {
  const { overrides: o } = useConsole().operator;
  const nameOf = useKindName();
  const [prefix, setPrefix] = useState('');
  const [verdict, setVerdict] = useState<string>(ALLOW);
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState('');
  const form = useSubmit(async () => {
    await call('POST', '/operator/overrides', {
      prefix: prefix.trim(),
      ...(verdict === ALLOW ? { allow: true } : { deny: verdict }),
      reason: reason.trim(),
      until: endOfDay(until),
    });
    onMade();
  });
  const kinds = RISK_TYPES.map((value) => ({ value, label: fill(o.deny, { kind: nameOf(value) }) }));
  return (
    <Form of={form} action={o.submit} onCancel={onCancel}>
      <TextInput
        required
        label={o.prefix}
        description={o.prefixHint}
        maxLength={50}
        value={prefix}
        onChange={(event) => setPrefix(event.currentTarget.value)}
      />
      <NativeSelect
        label={o.columns.verdict}
        data={[{ value: ALLOW, label: o.allow }, ...kinds]}
        value={verdict}
        onChange={(event) => setVerdict(event.currentTarget.value)}
      />
      <TextInput
        required
        label={o.columns.reason}
        maxLength={200}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <TextInput
        required
        type="date"
        label={o.columns.until}
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
      {verdict !== ALLOW && <Alert color="yellow">{o.denyHint}</Alert>}
    </Form>
  );
}

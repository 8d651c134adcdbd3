import { Button, Group, Modal, NativeSelect, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleBeacon, ConsoleCountry, ConsoleNewBeacon } from '../../../../../src/contract/console.ts';
import { BEACON_RISK_TYPES } from '../../../../../src/contract/risk.ts';
import { call } from '../../../api/call.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { Card } from '../../../components/card.tsx';
import { Chart } from '../../../components/chart.tsx';
import { CodeBlock } from '../../../components/code-block.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { CountryCounts } from '../../../components/country-counts.tsx';
import { Form } from '../../../components/form.tsx';
import { KeyState } from '../../../components/key-state.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { endOfDay, formatDate, formatInstant, formatNumber, formatRelative } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { NewSecret } from '../new-secret.tsx';

interface Props {
  readonly beacons: readonly ConsoleBeacon[];
  /** Where their exits are. */
  readonly countries: readonly ConsoleCountry[];
  readonly onChanged: () => void;
}

type Day = ConsoleBeacon['days'][number];

/** Exits of all beacons, date by date. */
const exitsByDay = (beacons: readonly ConsoleBeacon[], count: (day: Day) => number) =>
  (beacons[0]?.days ?? []).map(
    (_, i) => [i, beacons.reduce((sum, { days }) => sum + (days[i] ? count(days[i]) : 0), 0)] as const,
  );

/**
 * Beacons: make and revoke them, see their exits. A new token lives in this page's memory until the reader
 * says it is copied, and nowhere else.
 */
export function OperatorBeacons({ beacons, countries, onChanged }: Props) {
  const { collection } = useConsole().operator;
  const { tag } = useLocale();
  const { beacons: b } = collection;
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<ConsoleNewBeacon>();
  const [revoking, setRevoking] = useState<ConsoleBeacon>();
  const revoke = useSubmit(async () => {
    if (revoking === undefined) return;
    await call('DELETE', `/operator/beacons/${encodeURIComponent(revoking.id)}`);
    setRevoking(undefined);
    onChanged();
  });
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <div style={{ flex: '1 1 240px' }}>
          <Title order={2} size="h4">
            {b.title}
          </Title>
          <Text size="sm" c="dimmed">
            {b.lead}
          </Text>
        </div>
        <Button onClick={() => setCreating(true)}>{b.create}</Button>
      </Group>
      <ProblemAlert problem={revoke.problem} />
      {made !== undefined && <NewBeacon made={made} onDone={() => setMade(undefined)} />}
      <BeaconTable beacons={beacons} onRevoke={setRevoking} />
      {beacons.some(({ days }) => days.some(({ exits }) => exits > 0)) && (
        <>
          <Card title={b.exitsByDay} order={3}>
            <Chart
              bars
              label={b.exitsByDay}
              series={[
                {
                  name: b.series.known,
                  colour: 'gray.6',
                  points: exitsByDay(beacons, (day) => day.exits - day.new_exits),
                },
                { name: b.series.fresh, colour: 'pulse.6', points: exitsByDay(beacons, (day) => day.new_exits) },
              ]}
              tick={(day) => formatDate(tag, beacons[0]!.days[day]!.date)}
            />
          </Card>
          <Card title={b.exitsByCountry} hint={b.exitsByCountryHint} order={3}>
            <CountryCounts
              label={b.exitsByCountry}
              countries={countries}
              unknown={collection.countries.unknown}
              others={collection.countries.others}
              empty={collection.nothing}
            />
          </Card>
        </>
      )}
      <CreateBeacon
        opened={creating}
        onClose={() => setCreating(false)}
        onMade={(one) => {
          setCreating(false);
          setMade(one);
          onChanged();
        }}
      />
      <ConfirmDialog
        opened={revoking !== undefined}
        title={fill(b.revokeTitle, { prefix: revoking?.prefix ?? '' })}
        text={b.revokeText}
        action={b.revoke}
        busy={revoke.busy}
        onConfirm={revoke.onSubmit}
        onClose={() => setRevoking(undefined)}
      />
    </Stack>
  );
}

function BeaconTable({
  beacons,
  onRevoke,
}: {
  readonly beacons: readonly ConsoleBeacon[];
  readonly onRevoke: (beacon: ConsoleBeacon) => void;
}) {
  const c = useConsole();
  const { beacons: b } = c.operator.collection;
  const { tag } = useLocale();
  const { columns } = b;
  const now = new Date();
  return (
    <TableCard label={b.title} columns={Object.values(columns)} empty={beacons.length === 0 ? b.empty : undefined}>
      {beacons.map((beacon) => (
        <Table.Tr key={beacon.id} data-beacon={beacon.id}>
          <Cell of={columns.beacon}>
            {beacon.pool ?? b.noPool}
            <Text size="xs" c="dimmed" ff="monospace">
              {beacon.prefix}…
            </Text>
          </Cell>
          <Cell of={columns.type}>
            <code>{beacon.risk_type}</code>
          </Cell>
          <Cell of={columns.seen} whole>
            {beacon.last_seen_at === undefined
              ? c.operator.never
              : formatRelative(tag, new Date(beacon.last_seen_at), now)}
          </Cell>
          <Cell of={columns.today}>{formatNumber(tag, beacon.days.at(-1)?.exits ?? 0)}</Cell>
          <Cell of={columns.exits}>{formatNumber(tag, beacon.exits)}</Cell>
          <Cell of={columns.state}>
            <KeyState of={beacon.state} />
            {beacon.state === 'active' && beacon.expires_at !== undefined && (
              <Text size="xs" c="dimmed">
                {fill(b.until, { when: formatInstant(tag, new Date(beacon.expires_at)) })}
              </Text>
            )}
          </Cell>
          <Cell of={columns.actions}>
            {beacon.state !== 'revoked' && (
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                onClick={() => onRevoke(beacon)}
                aria-label={`${b.revoke}: ${beacon.prefix}`}
              >
                {b.revoke}
              </Button>
            )}
          </Cell>
        </Table.Tr>
      ))}
    </TableCard>
  );
}

function NewBeacon({ made, onDone }: { readonly made: ConsoleNewBeacon; readonly onDone: () => void }) {
  const { beacons: b } = useConsole().operator.collection;
  return (
    <NewSecret order={3} title={b.created} once={b.once} secret={made.token} testId="new-beacon" onDone={onDone}>
      <CodeBlock
        label={b.try}
        code={`curl -X POST -d '' -H 'Authorization: Bearer ${made.token}' ${location.origin}/v1/beacon`}
      />
    </NewSecret>
  );
}

interface CreateProps {
  readonly opened: boolean;
  readonly onMade: (beacon: ConsoleNewBeacon) => void;
  readonly onClose: () => void;
}

function CreateBeacon({ opened, onMade, onClose }: CreateProps) {
  const c = useConsole();
  const { beacons: b } = c.operator.collection;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={b.create}
      centered
      closeButtonProps={{ 'aria-label': c.common.cancel }}
    >
      <CreateForm onMade={onMade} onCancel={onClose} />
    </Modal>
  );
}

function CreateForm({
  onMade,
  onCancel,
}: {
  readonly onMade: (beacon: ConsoleNewBeacon) => void;
  readonly onCancel: () => void;
}) {
  const c = useConsole();
  const { t } = useLocale();
  const { beacons: b } = c.operator.collection;
  const [riskType, setRiskType] = useState<string>(BEACON_RISK_TYPES[0]!);
  const [pool, setPool] = useState('');
  const [expires, setExpires] = useState('');
  const form = useSubmit(async () => {
    const wish = {
      risk_type: riskType,
      ...(pool.trim() === '' ? {} : { pool: pool.trim() }),
      ...(expires === '' ? {} : { expires_at: endOfDay(expires) }),
    };
    onMade(await call<ConsoleNewBeacon>('POST', '/operator/beacons', wish));
  });
  return (
    <Form of={form} action={b.submit} onCancel={onCancel}>
      <NativeSelect
        label={b.riskType}
        data={BEACON_RISK_TYPES.map((value) => ({ value, label: t.verdict.signal[value].name }))}
        value={riskType}
        onChange={(event) => setRiskType(event.currentTarget.value)}
      />
      <TextInput
        label={b.pool}
        description={b.poolHint}
        maxLength={100}
        value={pool}
        onChange={(event) => setPool(event.currentTarget.value)}
      />
      <TextInput
        type="date"
        label={c.keys.expires}
        description={c.keys.expiresHint}
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
      />
    </Form>
  );
}

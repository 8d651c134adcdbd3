import {
  Badge,
  Button,
  Modal,
  NativeSelect,
  SimpleGrid,
  Stack,
  Switch,
  Table,
  Text,
  Textarea,
  Title,
} from '@mantine/core';
import { useState } from 'react';
import { SHARE_TIERS, type ShareTier } from '../../../../../src/contract/risk.ts';
import { ACTIONS, type Action, type Bound, type PolicyDocument } from '../../../../../src/core/policy/policy.ts';
import { call } from '../../../api/call.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { Form } from '../../../components/form.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { fill } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';

interface KeyPolicy {
  readonly key_id: string;
  readonly name: string;
  readonly policy: PolicyDocument;
}

/** Shows and changes the policy by which GET /v1/decide answers each key of the account. */
export function PoliciesPanel() {
  const { lists: w, keys: k, common } = useConsole();
  const { data, problem, reload } = useLoad<{ readonly policies: readonly KeyPolicy[] }>('/policies');
  const [editing, setEditing] = useState<KeyPolicy>();
  const boundText = useBoundText();
  const { policyColumns: columns } = w;
  return (
    <Stack component="section" gap="sm" aria-labelledby="policies">
      <div>
        <Title order={2} size="h3" id="policies">
          {w.policies}
        </Title>
        <Text c="dimmed">{w.policiesLead}</Text>
      </div>
      <ProblemAlert problem={problem} />
      <TableCard
        label={w.policies}
        columns={Object.values(columns)}
        empty={data === undefined ? '…' : data.policies.length === 0 ? w.noKeys : undefined}
      >
        {data?.policies.map((one) => (
          <Table.Tr key={one.key_id} data-policy={one.key_id}>
            <Cell of={columns.key}>{one.name || k.unnamed}</Cell>
            <Cell of={columns.deny}>{boundText(one.policy.deny)}</Cell>
            <Cell of={columns.challenge}>{boundText(one.policy.challenge)}</Cell>
            <Cell of={columns.mode}>
              <Badge variant="light" color={one.policy.observe ? 'yellow' : 'teal'} tt="none">
                {one.policy.observe ? w.observes : w.acts}
              </Badge>
            </Cell>
            <Cell of={columns.actions}>
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={`${w.edit}: ${one.name}`}
                onClick={() => setEditing(one)}
              >
                {w.edit}
              </Button>
            </Cell>
          </Table.Tr>
        ))}
      </TableCard>
      <Modal
        opened={editing !== undefined}
        onClose={() => setEditing(undefined)}
        title={fill(w.policyOf, { name: editing?.name ?? '' })}
        centered
        closeButtonProps={{ 'aria-label': common.cancel }}
      >
        {editing !== undefined && (
          <PolicyForm
            of={editing}
            onCancel={() => setEditing(undefined)}
            onSaved={() => {
              setEditing(undefined);
              reload();
            }}
          />
        )}
      </Modal>
    </Stack>
  );
}

function useBoundText(): (bound: Bound) => string {
  const { lists: w } = useConsole();
  return (bound) => (typeof bound === 'number' ? fill(w.bounds.score, { score: bound }) : w.bounds[bound]);
}

const LEVEL_BOUNDS = ['low', 'medium', 'high', 'never'] as const;

function PolicyForm({
  of,
  onSaved,
  onCancel,
}: {
  readonly of: KeyPolicy;
  readonly onSaved: () => void;
  readonly onCancel: () => void;
}) {
  const { lists: w } = useConsole();
  const [policy, setPolicy] = useState(of.policy);
  const [allow, setAllow] = useState(of.policy.allow.join('\n'));
  const change = (changes: Partial<PolicyDocument>): void => setPolicy({ ...policy, ...changes });
  const form = useSubmit(async () => {
    const allowed = allow.split(/[\s,;]+/).filter((entry) => entry !== '');
    await call('PUT', `/policies/${encodeURIComponent(of.key_id)}`, { ...policy, allow: allowed });
    onSaved();
  });
  const actions = ACTIONS.map((value) => ({ value, label: w.action[value] }));
  return (
    <Form of={form} action={w.save} onCancel={onCancel}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <BoundSelect label={w.deny} bound={policy.deny} onChange={(deny) => change({ deny })} />
        <BoundSelect label={w.challenge} bound={policy.challenge} onChange={(challenge) => change({ challenge })} />
        {SHARE_TIERS.map((tier: ShareTier) => (
          <NativeSelect
            key={tier}
            label={fill(w.strictest, { tier })}
            data={actions}
            value={policy.tiers[tier]}
            onChange={(event) => change({ tiers: { ...policy.tiers, [tier]: event.currentTarget.value as Action } })}
          />
        ))}
        <NativeSelect
          label={w.tor}
          data={actions}
          value={policy.tor}
          onChange={(event) => change({ tor: event.currentTarget.value as Action })}
        />
      </SimpleGrid>
      <Switch
        label={w.observe}
        checked={policy.observe}
        onChange={(event) => change({ observe: event.currentTarget.checked })}
      />
      <Switch
        label={w.closed}
        checked={policy.fail === 'closed'}
        onChange={(event) => change({ fail: event.currentTarget.checked ? 'closed' : 'open' })}
      />
      <Textarea
        autosize
        minRows={2}
        maxRows={8}
        label={w.allow}
        description={w.excludeHint}
        value={allow}
        onChange={(event) => setAllow(event.currentTarget.value)}
      />
      {Object.keys(policy.signals).length > 0 && (
        <Text size="sm" c="dimmed">
          {w.signalRules}
        </Text>
      )}
    </Form>
  );
}

/** Levels, and the score of a policy that names one. */
function BoundSelect({
  label,
  bound,
  onChange,
}: {
  readonly label: string;
  readonly bound: Bound;
  readonly onChange: (bound: Bound) => void;
}) {
  const boundText = useBoundText();
  const [first] = useState(bound);
  const choices: readonly Bound[] = typeof first === 'number' ? [first, ...LEVEL_BOUNDS] : LEVEL_BOUNDS;
  return (
    <NativeSelect
      label={label}
      data={choices.map((value) => ({ value: String(value), label: boundText(value) }))}
      value={String(bound)}
      onChange={(event) => {
        const { value } = event.currentTarget;
        onChange(choices.find((choice) => String(choice) === value)!);
      }}
    />
  );
}

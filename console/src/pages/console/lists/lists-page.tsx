import {
  Badge,
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  NumberInput,
  Table,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import type { ConsoleKey } from '../../../../../src/contract/console.ts';
import type { ListDocument, ListOptions } from '../../../../../src/contract/lists.ts';
import { SHARE_TIERS, SIGNALS, type Signal } from '../../../../../src/contract/risk.ts';
import { call } from '../../../api/call.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { CodeBlock } from '../../../components/code-block.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Form } from '../../../components/form.tsx';
import { Page } from '../../../components/page.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { formatInstant, formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { usePageTitle } from '../../../use-document-head.ts';
import { PoliciesPanel } from './policies-panel.tsx';

/** Lists that firewalls fetch, and the policies of the account's keys. */
export function ListsPage() {
  const { lists: w, common } = useConsole();
  usePageTitle(w.title);
  const { data, problem, reload } = useLoad<{ readonly lists: readonly ListDocument[] }>('/lists');
  const keys = useLoad<{ readonly keys: readonly ConsoleKey[] }>('/keys');
  const [editing, setEditing] = useState<ListDocument | 'new'>();
  const [deleting, setDeleting] = useState<string>();
  const remove = useSubmit(async () => {
    if (deleting === undefined) return;
    await call('DELETE', `/lists/${deleting}`);
    setDeleting(undefined);
    reload();
  });
  const [first] = data?.lists ?? [];
  const nameOf = (id: string): string => keys.data?.keys.find((key) => key.id === id)?.name || id;
  return (
    <Page title={w.title} lead={w.lead} aside={<Button onClick={() => setEditing('new')}>{w.create}</Button>}>
      <ProblemAlert problem={problem ?? keys.problem ?? remove.problem} />
      {data !== undefined && (
        <ListTable lists={data.lists} nameOf={nameOf} onEdit={setEditing} onDelete={setDeleting} />
      )}
      {first !== undefined && (
        <CodeBlock
          label={w.fetch}
          code={`curl -u pulse:pk_… --compressed -O ${location.origin}/lists/${first.name}.txt`}
        />
      )}
      <PoliciesPanel />
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
          onSaved={() => {
            setEditing(undefined);
            reload();
          }}
        />
      </Modal>
      <ConfirmDialog
        opened={deleting !== undefined}
        title={fill(w.deleteTitle, { name: deleting ?? '' })}
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
  nameOf,
  onEdit,
  onDelete,
}: {
  readonly lists: readonly ListDocument[];
  readonly nameOf: (keyId: string) => string;
  readonly onEdit: (list: ListDocument) => void;
  readonly onDelete: (name: string) => void;
}) {
  const { lists: w } = useConsole();
  const { tag } = useLocale();
  const { columns } = w;
  const count = (number: number): string => formatNumber(tag, number);
  return (
    <TableCard label={w.lists} columns={Object.values(columns)} empty={lists.length === 0 ? w.empty : undefined}>
      {lists.map((list) => (
        <Table.Tr key={`${list.name} ${list.shared}`} data-list={list.name}>
          <Cell of={columns.name}>
            <code>{list.name}</code>
            {list.shared && (
              <Badge variant="outline" color="gray" tt="none" ml={4}>
                {w.shared}
              </Badge>
            )}
          </Cell>
          <Cell of={columns.holds}>
            <HoldsText list={list} />
          </Cell>
          <Cell of={columns.size}>
            {list.last_fetch === undefined
              ? '–'
              : fill(w.size, { count: count(list.last_fetch.prefixes), size: sizeText(tag, list.last_fetch.bytes) })}
          </Cell>
          <Cell of={columns.fetched} whole>
            {list.last_fetch === undefined
              ? w.never
              : `${formatInstant(tag, new Date(list.last_fetch.at))}, ${fill(w.by, { key: nameOf(list.last_fetch.key_id) })}`}
          </Cell>
          <Cell of={columns.actions}>
            {!list.shared && (
              <Group gap={4}>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={`${w.edit}: ${list.name}`}
                  onClick={() => onEdit(list)}
                >
                  {w.edit}
                </Button>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  aria-label={`${w.delete}: ${list.name}`}
                  onClick={() => onDelete(list.name)}
                >
                  {w.delete}
                </Button>
              </Group>
            )}
          </Cell>
        </Table.Tr>
      ))}
    </TableCard>
  );
}

const sizeText = (tag: string, bytes: number): string =>
  new Intl.NumberFormat(tag, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 1 }).format(bytes / 1000);

function HoldsText({ list }: { readonly list: ListDocument }) {
  const { lists: w } = useConsole();
  const { tag, t } = useLocale();
  const parts = [
    ...(list.min_score > 0 ? [fill(w.score, { score: list.min_score })] : []),
    ...(list.levels ?? []).map((level) => t.verdict.level[level]),
    ...(list.signals ?? []).map((signal) => t.verdict.signal[signal].name),
    fill(w.tier, { tier: list.max_tier }),
    ...(list.include_shared ? [w.challenged] : []),
    ...(list.family === 'both' ? [] : [w.families[list.family]]),
    ...(list.max === undefined ? [] : [fill(w.most, { count: formatNumber(tag, list.max) })]),
    ...(list.exclude.length === 0 ? [] : [fill(w.excluded, { count: formatNumber(tag, list.exclude.length) })]),
  ];
  return <Text size="sm">{parts.join(' · ')}</Text>;
}

const NEW: Omit<ListOptions, 'states'> = {
  min_score: 70,
  max_tier: 'T3',
  family: 'both',
  exclude: [],
};

function ListForm({
  list,
  onSaved,
  onCancel,
}: {
  readonly list: ListDocument | undefined;
  readonly onSaved: () => void;
  readonly onCancel: () => void;
}) {
  const { lists: w } = useConsole();
  const { t } = useLocale();
  const given = list ?? NEW;
  const [name, setName] = useState(list?.name ?? '');
  const [minScore, setMinScore] = useState<number | string>(given.min_score);
  const [maxTier, setMaxTier] = useState<string>(given.max_tier);
  const [family, setFamily] = useState<string>(given.family);
  const [max, setMax] = useState<number | string>(list?.max ?? '');
  const [signals, setSignals] = useState<readonly Signal[]>(list?.signals ?? []);
  const [exclude, setExclude] = useState(given.exclude.join('\n'));
  const [challenged, setChallenged] = useState(given.include_shared ?? false);
  const form = useSubmit(async () => {
    await call('PUT', `/lists/${encodeURIComponent(name.trim())}`, {
      ...(list?.levels !== undefined && { levels: list.levels }),
      ...(list !== undefined && { states: list.states }),
      ...{ min_score: Number(minScore), max_tier: maxTier, family, include_shared: challenged },
      exclude: exclude.split(/[\s,;]+/).filter((entry) => entry !== ''),
      ...(max !== '' && { max: Number(max) }),
      ...(signals.length > 0 && { signals }),
    });
    onSaved();
  });
  return (
    <Form of={form} action={w.save} onCancel={onCancel}>
      <TextInput
        required
        label={w.columns.name}
        description={w.nameHint}
        pattern="[a-z][a-z0-9_]{0,23}"
        disabled={list !== undefined}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <Group grow align="flex-start">
        <NumberInput
          required
          label={w.minScore}
          min={0}
          max={100}
          allowDecimal={false}
          value={minScore}
          onChange={setMinScore}
        />
        <NativeSelect
          label={w.maxTier}
          data={[...SHARE_TIERS]}
          value={maxTier}
          onChange={(event) => setMaxTier(event.currentTarget.value)}
        />
      </Group>
      <Group grow align="flex-start">
        <NativeSelect
          label={w.family}
          data={(['both', '4', '6'] as const).map((value) => ({ value, label: w.families[value] }))}
          value={family}
          onChange={(event) => setFamily(event.currentTarget.value)}
        />
        <NumberInput label={w.max} description={w.maxHint} min={1} allowDecimal={false} value={max} onChange={setMax} />
      </Group>
      <Checkbox
        label={w.challenged}
        checked={challenged}
        onChange={(event) => setChallenged(event.currentTarget.checked)}
      />
      <Checkbox.Group
        label={w.signals}
        description={w.signalsHint}
        value={[...signals]}
        onChange={(value) => setSignals(value as Signal[])}
      >
        <Group mt={4}>
          {SIGNALS.map((signal) => (
            <Checkbox key={signal} value={signal} label={t.verdict.signal[signal].name} />
          ))}
        </Group>
      </Checkbox.Group>
      <Textarea
        autosize
        minRows={2}
        maxRows={8}
        label={w.exclude}
        description={w.excludeHint}
        value={exclude}
        onChange={(event) => setExclude(event.currentTarget.value)}
      />
    </Form>
  );
}

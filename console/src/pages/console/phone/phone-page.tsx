import { Alert, Button, Group, Stack, Table, Tabs, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleAccount, ConsoleUsage } from '../../../../../src/contract/console.ts';
import type { PhoneBatch, PhoneProfile } from '../../../../../src/contract/documents.ts';
import type { ErrorCode } from '../../../../../src/contract/errors.ts';
import { PHONE_BATCH_MAX } from '../../../../../src/contract/phone.ts';
import { phoneFacts } from '../../../../../src/core/phone/phone-facts.ts';
import { PHONE_WORDS } from '../../../../../src/core/phone/phone-words.ts';
import { call } from '../../../api/call.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { Page } from '../../../components/page.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { formatInstant, formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { useErrorMeaning } from '../../../messages/use-error-meaning.ts';
import { usePageTitle } from '../../../use-document-head.ts';
import { downloadText } from '../download-text.ts';
import { GrantedBy } from '../granted-by.tsx';
import { type PhoneItem, phoneCsv } from './phone-csv.ts';

/** Phone numbers for enterprise accounts. Numbers travel in request bodies only; nothing of them reaches an address or stays after the page is left. */
export function PhonePage({ account }: { readonly account: ConsoleAccount }) {
  const c = useConsole();
  usePageTitle(c.phone.title);
  return (
    <Page title={c.phone.title} lead={c.phone.lead}>
      {account.phone ? (
        <Tabs defaultValue="one" keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="one">{c.phone.one}</Tabs.Tab>
            <Tabs.Tab value="list">{c.phone.list}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="one" pt="md">
            <OneNumber />
          </Tabs.Panel>
          <Tabs.Panel value="list" pt="md">
            <ManyNumbers />
          </Tabs.Panel>
        </Tabs>
      ) : (
        <Alert>
          {c.phone.enterpriseOnly} <GrantedBy account={account} />
        </Alert>
      )}
    </Page>
  );
}

function OneNumber() {
  const c = useConsole();
  const [number, setNumber] = useState('');
  const [profile, setProfile] = useState<PhoneProfile>();
  const { busy, problem, onSubmit } = useSubmit(async () => {
    setProfile(undefined);
    setProfile(await call<PhoneProfile>('POST', '/phone/lookup', { number }));
  });
  return (
    <Stack gap="md">
      <form onSubmit={onSubmit}>
        <Group wrap="nowrap" align="flex-end">
          <TextInput
            flex={1}
            required
            type="tel"
            autoComplete="off"
            label={c.phone.number}
            description={c.phone.numberHint}
            value={number}
            onChange={(event) => setNumber(event.currentTarget.value)}
          />
          <Button type="submit" loading={busy}>
            {c.phone.submit}
          </Button>
        </Group>
      </form>
      <ProblemAlert problem={problem} />
      {profile !== undefined && <Results items={[profile]} />}
    </Stack>
  );
}

function ManyNumbers() {
  const c = useConsole();
  const { tag } = useLocale();
  const [text, setText] = useState('');
  const [batch, setBatch] = useState<PhoneBatch>();
  const usage = useLoad<ConsoleUsage>('/usage');
  const numbers = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const remaining = usage.data?.me.capabilities?.phone?.remaining;
  const { busy, problem, onSubmit } = useSubmit(async () => {
    setBatch(undefined);
    setBatch(await call<PhoneBatch>('POST', '/phone/batch', { numbers }));
    usage.reload();
  });
  return (
    <Stack gap="md">
      <form onSubmit={onSubmit}>
        <Stack gap="sm">
          <Textarea
            label={c.phone.paste}
            autosize
            minRows={6}
            maxRows={14}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            spellCheck={false}
          />
          <Text size="sm" role="status">
            {numbers.length > PHONE_BATCH_MAX
              ? c.phone.tooMany
              : fill(c.phone.cost, {
                  n: formatNumber(tag, numbers.length),
                  remaining: remaining === undefined ? '…' : formatNumber(tag, remaining),
                })}
          </Text>
          <Button
            type="submit"
            loading={busy}
            disabled={numbers.length === 0 || numbers.length > PHONE_BATCH_MAX}
            style={{ alignSelf: 'flex-start' }}
          >
            {c.phone.run}
          </Button>
        </Stack>
      </form>
      <ProblemAlert problem={problem ?? usage.problem} />
      {batch !== undefined && (
        <>
          <Group justify="space-between">
            <Text>
              {fill(c.phone.summary, { hits: batch.hit_count, count: batch.count, billable: batch.billable })}
            </Text>
            <Button
              variant="default"
              size="sm"
              onClick={() => downloadText('pulse-phone.csv', phoneCsv(batch.results))}
            >
              {c.phone.export}
            </Button>
          </Group>
          <Results items={batch.results} />
        </>
      )}
    </Stack>
  );
}

function Results({ items }: { readonly items: readonly PhoneItem[] }) {
  const c = useConsole();
  const { t, tag, locale } = useLocale();
  const meaning = useErrorMeaning();
  const stale = items.some((item) => 'evidence_state' in item && item.evidence_state === 'stale');
  const { columns } = c.phone;
  return (
    <Stack gap="sm">
      {stale && <Alert color="yellow">{c.phone.stale}</Alert>}
      <TableCard label={c.phone.title} columns={Object.values(columns)}>
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same number may stand in a list twice, and the list never changes order
          <Table.Tr key={index}>
            <Cell of={columns.number} whole>
              {'e164' in item.query ? item.query.e164 : item.query.input}
            </Cell>
            <Cell of={columns.hit}>{item.hit ? c.phone.hit.yes : c.phone.hit.no}</Cell>
            <Cell of={columns.state}>{'evidence_state' in item ? t.verdict.state[item.evidence_state].name : '—'}</Cell>
            <Cell of={columns.score}>
              {'risk' in item ? scoreText(item.risk.score, t.verdict.level[item.risk.level], t.site.aside) : '—'}
            </Cell>
            <Cell of={columns.tags}>
              {'risk' in item &&
                item.risk.tags.map(({ slug }) => (
                  <div key={slug}>
                    {PHONE_WORDS[locale].names[slug]}{' '}
                    <Text span size="xs" c="dimmed" ff="monospace">
                      {slug}
                    </Text>
                  </div>
                ))}
            </Cell>
            <Cell of={columns.carrier}>{phoneFacts(item, undefined, PHONE_WORDS[locale]).carrier}</Cell>
            <Cell of={columns.lastActive}>{item.hit && formatInstant(tag, new Date(item.activity.last_active))}</Cell>
            <Cell of={columns.error}>
              {'error' in item && meaning(item.error.code as ErrorCode)}
              {'miss_reason' in item && c.phone.miss[item.miss_reason]}
            </Cell>
          </Table.Tr>
        ))}
      </TableCard>
    </Stack>
  );
}

/** Score with its level; the level alone where the source states no score. */
const scoreText = (score: number | undefined, level: string, aside: string): string =>
  score === undefined ? level : fill(aside, { text: score, aside: level });

import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ConsoleAccount } from '../../../../../src/contract/console.ts';
import type { PhoneProfile } from '../../../../../src/contract/documents.ts';
import { findNumbers } from '../../../../../src/core/phone/find-numbers.ts';
import { labelFacts, phoneFacts } from '../../../../../src/core/phone/phone-facts.ts';
import type { PhoneFound } from '../../../../../src/core/phone/phone-item.ts';
import { homePlan } from '../../../../../src/core/phone/phone-list.ts';
import { planFacts } from '../../../../../src/core/phone/segments.ts';
import { call } from '../../../api/call.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { carriedText, forgetCarriedText } from '../../../bulk/carried-text.ts';
import { Card } from '../../../components/card.tsx';
import { FactList } from '../../../components/fact-list.tsx';
import { Page } from '../../../components/page.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { fill } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { loadSegments } from '../../../phone/load-segments.ts';
import { usePhoneWords } from '../../../phone/use-phone-words.ts';
import { usePageTitle } from '../../../use-document-head.ts';
import { GrantedBy } from '../granted-by.tsx';
import { PhoneList } from './phone-list.tsx';
import { RegionSelect } from './region-select.tsx';

/**
 * Phone numbers for enterprise accounts. Numbers travel in request bodies only; none reaches an address or
 * stays after the page is left.
 */
export function PhonePage({ account }: { readonly account: ConsoleAccount }) {
  const c = useConsole();
  usePageTitle(c.phone.title);
  return (
    <Page title={c.phone.title} lead={c.phone.lead}>
      {account.phone ? (
        <>
          <OneNumber />
          <PhoneList owner={`${account.id} phone`} />
        </>
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
  const [text, setText] = useState(() => carriedText() ?? '');
  useEffect(forgetCarriedText, []);
  const [region, setRegion] = useState<string>();
  const [found, setFound] = useState<PhoneFound>();
  const [several, setSeveral] = useState<number>();
  const { busy, problem, onSubmit } = useSubmit(async () => {
    setFound(undefined);
    const home = region === undefined ? undefined : homePlan(region);
    const [read, ...others] = findNumbers(text, home);
    setSeveral(others.length === 0 ? undefined : others.length + 1);
    if (others.length > 0) return;
    // A text without a number goes as it is: the rules of the API refuse it.
    const sent = read === undefined ? text : home === undefined ? read.input : `+${read.number.digits}`;
    const answer = await call<PhoneProfile>('POST', '/phone/lookup', { number: sent });
    const segments = await loadSegments();
    setFound({
      item: { ...answer, query: { ...answer.query, input: read?.input ?? text } },
      planned: segments && read && planFacts(segments, read.number),
    });
  });
  return (
    <Stack gap="md">
      <form onSubmit={onSubmit}>
        <Stack gap="sm">
          <Group wrap="nowrap" align="flex-end">
            <TextInput
              flex={1}
              required
              type="tel"
              autoComplete="off"
              label={c.phone.number}
              description={c.phone.numberHint}
              error={several === undefined ? undefined : fill(c.phone.several, { n: String(several) })}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit" loading={busy}>
              {c.phone.submit}
            </Button>
          </Group>
          <RegionSelect value={region} onChange={setRegion} />
        </Stack>
      </form>
      <ProblemAlert problem={problem} />
      {found !== undefined && <Sheet found={found} />}
    </Stack>
  );
}

/** One answer, fact by fact. */
function Sheet({ found: { item, planned } }: { readonly found: PhoneFound }) {
  const words = usePhoneWords();
  const facts = phoneFacts(item, planned, words);
  return (
    <Card title={facts.number} testId="phone-sheet">
      <Stack gap="sm">
        <FactList facts={labelFacts(facts, words)} />
        {facts.state === words.states.stale && <Alert color="yellow">{words.staleIsWeak}</Alert>}
        {facts.state === words.states.none && <Text c="dimmed">{words.missIsNotSafe}</Text>}
      </Stack>
    </Card>
  );
}

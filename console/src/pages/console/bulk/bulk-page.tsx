import { Button, Group, Tabs, Text } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { ConsoleAccount, ConsoleUsage } from '../../../../../src/contract/console.ts';
import type { ShownAddress } from '../../../../../src/contract/shown-names.ts';
import { namedAddresses, namedSummary, type SummaryIdentity } from '../../../../../src/core/report/named-summary.ts';
import { doubtText } from '../../../../../src/core/report/report-words.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useAskBeforeLeaving } from '../../../ask-before-leaving.ts';
import type { AddressAnswers, AddressFindings, AddressOptions } from '../../../bulk/bulk-request.ts';
import { BulkSource } from '../../../bulk/bulk-source.tsx';
import { BulkWork } from '../../../bulk/bulk-work.tsx';
import { carriedText, forgetCarriedText } from '../../../bulk/carried-text.ts';
import { questionBeforeLeaving } from '../../../bulk/question-before-leaving.ts';
import { type Bulk, useBulk } from '../../../bulk/use-bulk.ts';
import { AddressForm } from '../../../components/address-form.tsx';
import { later } from '../../../components/later.tsx';
import { Page } from '../../../components/page.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import type { Locale } from '../../../locale-path.ts';
import { useConsole } from '../../../messages/use-console.ts';
import { usePageTitle } from '../../../use-document-head.ts';
import { useAsNames, useShownAddresses } from '../../../verdict/use-shown-addresses.ts';
import { downloadBlob } from '../download-text.ts';
import { BulkAddresses } from './bulk-addresses.tsx';

const BulkReportFrame = later(async () => (await import('./bulk-report-frame.tsx')).BulkReportFrame);

type AddressBulk = Bulk<AddressFindings, AddressAnswers, AddressOptions>;

const startWorker = (): Worker =>
  new Worker(new URL('../../../bulk/bulk-worker.ts', import.meta.url), { type: 'module' });

/** Many addresses at once: a file is read here, and nothing of it is sent but the addresses, after the cost was agreed to. */
export function BulkPage({ account }: { readonly account: ConsoleAccount }) {
  const c = useConsole();
  const { tag, to } = useLocale();
  const [, navigate] = useLocation();
  usePageTitle(c.bulk.title);
  // The document of each tier has fields of its own.
  const owner = `${account.id} ${account.data_tier}`;
  const bulk: AddressBulk = useBulk(owner, startWorker);
  const { state } = bulk;
  const usage = useLoad<ConsoleUsage>('/usage');
  const { reload } = usage;
  const [source, setSource] = useState<{ readonly blob: Blob; readonly name: string }>();
  const [saved, setSaved] = useState<string>();
  const answers = `${state.name} ${state.left}`;
  const question = questionBeforeLeaving(state, saved === answers);
  useAskBeforeLeaving(question && c.bulk[question]);
  useEffect(() => {
    if (state.phase === 'ended') reload();
  }, [state.phase, reload]);
  const read = (blob: Blob, name: string, anyText: boolean): void => {
    setSource({ blob, name });
    bulk.read(blob, name, { anyText });
  };
  const carried = useCarriedText((text) => read(new Blob([text]), c.bulk.pasted, true));
  const { found } = state;
  const n = (value: number): string => formatNumber(tag, value);
  const download = async (): Promise<void> => {
    downloadBlob('pulse-bulk.csv', await bulk.csv());
    setSaved(answers);
  };
  return (
    <Page title={c.bulk.title} lead={c.bulk.lead}>
      {found === undefined && (
        <AddressForm
          initial=""
          onSubmit={(ip) => navigate(to(`/ip/${encodeURIComponent(ip)}`), { state: { asked: true } })}
        />
      )}
      {found === undefined ? (
        <BulkSource state={state} read={read} owner={owner} words={c.bulk} pasted={carried} />
      ) : (
        <BulkWork
          bulk={bulk}
          words={c.bulk}
          allowance={usage.data && { remaining: usage.data.me.remaining ?? 0, perMin: usage.data.me.per_min }}
          headline={fill(found.format === 'any' ? c.bulk.foundInText : c.bulk.found, {
            file: state.name ?? '',
            addresses: n(found.entries),
            lines: n(found.lines),
            format: found.format,
          })}
          downloads={
            <Button variant={state.left === 0 ? 'filled' : 'default'} onClick={download}>
              {c.bulk.csv}
            </Button>
          }
        >
          <MissingSourcesReport found={found} />
          {found.doubt.length > 0 && state.phase === 'found' && source !== undefined && (
            <Group gap="sm" data-testid="bulk-doubt">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {found.doubt.map((one) => doubtText(one, c.bulk)).join(' ')}
              </Text>
              <Button size="compact-sm" variant="default" onClick={() => read(source.blob, source.name, true)}>
                {c.bulk.readAll}
              </Button>
            </Group>
          )}
        </BulkWork>
      )}
      <ProblemAlert problem={usage.problem} />
      {state.summary !== undefined && <Answers answers={state.summary} source={state.name ?? ''} />}
    </Page>
  );
}

/** Reads the text that was carried here from another page. @returns it */
function useCarriedText(read: (text: string) => void): string | undefined {
  const [text] = useState(carriedText);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read once, when the page is opened
  useEffect(() => {
    if (text === undefined) return;
    forgetCarriedText();
    read(text);
  }, []);
  return text;
}

/** Networks that are named; of more the number alone is shown. */
const NETWORKS_NAMED = 5;

/** Counts of the addresses and lines that are not looked up, by reason. */
function MissingSourcesReport({ found: { networks, reserved, withoutAddress } }: { readonly found: AddressFindings }) {
  const c = useConsole();
  const { tag } = useLocale();
  const parts = [
    [networks.length, c.bulk.leftOut.networks],
    [reserved, c.bulk.leftOut.reserved],
    [withoutAddress, c.bulk.leftOut.withoutAddress],
  ] as const;
  const sentences = parts
    .filter(([count]) => count > 0)
    .map(([count, sentence]) =>
      fill(sentence, {
        n: formatNumber(tag, count),
        names: [...networks.slice(0, NETWORKS_NAMED), ...(count > NETWORKS_NAMED ? ['…'] : [])].join(c.bulk.comma),
      }),
    );
  return (
    sentences.length > 0 && (
      <Text size="sm" data-testid="bulk-left-out" style={{ overflowWrap: 'anywhere' }}>
        {fill(c.bulk.leftOut.all, { parts: sentences.join(c.bulk.semicolon) })}
      </Text>
    )
  );
}

/** The answers as a table and as the report; a log begins with the report, a list with the table. */
function Answers({ answers, source }: { readonly answers: AddressAnswers; readonly source: string }) {
  const c = useConsole();
  const { rows, isLog } = answers;
  const { locale } = useLocale();
  const asName = useAsNames(useMemo(() => shownNetworks(answers), [answers]));
  const shownAs = useShownAddresses(useMemo(() => shownAddresses(answers), [answers]));
  const summary = useMemo(
    () => namedSummary(answers.summary, ({ ip }) => identityIn(locale, shownAs(ip))),
    [answers, locale, shownAs],
  );
  const [view, setView] = useState<string | null>(null);
  return (
    <Tabs
      value={view ?? (isLog ? 'report' : 'addresses')}
      onChange={setView}
      keepMounted={false}
      data-testid="bulk-summary"
    >
      <Tabs.List>
        <Tabs.Tab value="addresses">{c.bulk.addresses}</Tabs.Tab>
        <Tabs.Tab value="report">{c.bulk.summary}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="addresses" pt="md">
        <BulkAddresses rows={rows} asName={asName} shownAs={shownAs} />
      </Tabs.Panel>
      <Tabs.Panel value="report" pt="md">
        <BulkReportFrame summary={summary} source={source} asName={asName} />
      </Tabs.Panel>
    </Tabs>
  );
}

/** Addresses that the report names, then those of the table. */
const shownAddresses = ({ summary, rows }: AddressAnswers): readonly string[] =>
  [...namedAddresses(summary), ...rows].map(({ ip }) => ip);

const identityIn = (locale: Locale, { known_as: known, shared_by }: ShownAddress): SummaryIdentity => ({
  ...(known !== undefined && {
    [known.scanner === true ? 'scanner' : 'service']: locale === 'zh' ? known.what_zh : known.what,
  }),
  ...(shared_by !== undefined && { shared_by }),
});

/** Rows of a ranking, no fewer than the report shows. */
const RANKED = 20;

/** AS numbers of the report and the table. */
const shownNetworks = ({ summary: { risky, asn, top }, rows }: AddressAnswers): readonly (number | undefined)[] => [
  ...[risky.asn, asn].flatMap((ranking) => ranking.rows.slice(0, RANKED).map(({ value }) => value)),
  ...[...top.riskiest, ...top.addresses].map((address) => address.asn),
  ...rows.map(({ facts }) => facts?.asn),
];

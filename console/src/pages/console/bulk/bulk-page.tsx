import { Button, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ConsoleAccount, ConsoleUsage } from '../../../../../src/contract/console.ts';
import type { TrafficSummary } from '../../../../../src/contract/traffic-summary.ts';
import type { AsName } from '../../../../../src/core/report/report-format.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useAskBeforeLeaving } from '../../../ask-before-leaving.ts';
import type { AddressFindings } from '../../../bulk/bulk-order.ts';
import { BulkSource } from '../../../bulk/bulk-source.tsx';
import { BulkWork } from '../../../bulk/bulk-work.tsx';
import { questionBeforeLeaving } from '../../../bulk/question-before-leaving.ts';
import { type Bulk, useBulk } from '../../../bulk/use-bulk.ts';
import { later } from '../../../components/later.tsx';
import { Page } from '../../../components/page.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { usePageTitle } from '../../../use-document-head.ts';
import { useAsNames } from '../../../verdict/use-as-names.ts';
import { downloadBlob } from '../download-text.ts';

const BulkSummary = later(async () => (await import('./bulk-summary.tsx')).BulkSummary);

type AddressBulk = Bulk<AddressFindings, TrafficSummary>;

const startWorker = (): Worker =>
  new Worker(new URL('../../../bulk/bulk-worker.ts', import.meta.url), { type: 'module' });

/** Many addresses at once: a file is read here, and nothing of it is sent but the addresses, after the cost was agreed to. */
export function BulkPage({ account }: { readonly account: ConsoleAccount }) {
  const c = useConsole();
  const { tag } = useLocale();
  usePageTitle(c.bulk.title);
  // The document of each tier has fields of its own.
  const owner = `${account.id} ${account.data_tier}`;
  const bulk: AddressBulk = useBulk(owner, startWorker);
  const { state } = bulk;
  const usage = useLoad<ConsoleUsage>('/usage');
  const { reload } = usage;
  const asName = useAsNames(shownNetworks(state.summary));
  const [saved, setSaved] = useState<string>();
  const answers = `${state.name} ${state.left}`;
  const question = questionBeforeLeaving(state, saved === answers);
  useAskBeforeLeaving(question && c.bulk[question]);
  useEffect(() => {
    if (state.phase === 'ended') reload();
  }, [state.phase, reload]);
  const { found } = state;
  const n = (value: number): string => formatNumber(tag, value);
  return (
    <Page title={c.bulk.title} lead={c.bulk.lead}>
      {found === undefined ? (
        <BulkSource
          state={state}
          read={(source, name) => bulk.read(source, name, undefined)}
          owner={owner}
          words={c.bulk}
        />
      ) : (
        <BulkWork
          bulk={bulk}
          words={c.bulk}
          allowance={usage.data && { remaining: usage.data.me.remaining ?? 0, perMin: usage.data.me.per_min }}
          headline={fill(c.bulk.found, {
            file: state.name ?? '',
            addresses: n(found.entries),
            lines: n(found.lines),
            format: found.format,
          })}
          downloads={<Downloads bulk={bulk} asName={asName} onSaved={() => setSaved(answers)} />}
        >
          {found.withoutAddress + found.reserved > 0 && (
            <Text size="sm" c="dimmed">
              {fill(c.bulk.leftOut, { none: n(found.withoutAddress), reserved: n(found.reserved) })}
            </Text>
          )}
        </BulkWork>
      )}
      <ProblemAlert problem={usage.problem} />
      {state.summary !== undefined && <BulkSummary summary={state.summary} asName={asName} />}
    </Page>
  );
}

/** Rows of a ranking, no fewer than page and report show. */
const RANKED = 20;

/** AS numbers of a summary's page and report. */
const shownNetworks = (summary: TrafficSummary | undefined): readonly (number | undefined)[] =>
  summary === undefined
    ? []
    : [
        ...[summary.risky.asn, summary.asn].flatMap(({ rows }) => rows.slice(0, RANKED).map(({ value }) => value)),
        ...[...summary.top.riskiest, ...summary.top.addresses].map(({ asn }) => asn),
      ];

interface DownloadsProps {
  readonly bulk: AddressBulk;
  readonly asName: AsName;
  readonly onSaved: () => void;
}

function Downloads({ bulk: { state, csv }, asName, onSaved }: DownloadsProps) {
  const c = useConsole();
  const { locale } = useLocale();
  const { summary, name = '', left } = state;
  return (
    <>
      <Button
        variant={left === 0 ? 'filled' : 'default'}
        onClick={async () => {
          downloadBlob('pulse-bulk.csv', await csv());
          onSaved();
        }}
      >
        {c.bulk.csv}
      </Button>
      {summary !== undefined && (
        <Button
          variant="default"
          onClick={async () =>
            downloadBlob(
              'pulse-report.html',
              (await import('../../../bulk/bulk-report.ts')).bulkReport(summary, name, locale, asName),
            )
          }
        >
          {c.bulk.report}
        </Button>
      )}
    </>
  );
}

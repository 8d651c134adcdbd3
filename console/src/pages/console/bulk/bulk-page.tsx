import { Alert, Button, FileButton, Group, Progress, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { type DragEvent, lazy, Suspense, useEffect, useState } from 'react';
import type { ConsoleAccount, ConsoleUsage } from '../../../../../src/contract/console.ts';
import type { TrafficSummary } from '../../../../../src/contract/traffic-summary.ts';
import type { AsName } from '../../../../../src/core/report/report-format.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useAskBeforeLeaving } from '../../../ask-before-leaving.ts';
import { type KeptBatch, keptBatches } from '../../../bulk/kept-batches.ts';
import { questionBeforeLeaving } from '../../../bulk/question-before-leaving.ts';
import { type Bulk, useBulk } from '../../../bulk/use-bulk.ts';
import { Page } from '../../../components/page.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { usePageTitle } from '../../../use-document-head.ts';
import { useAsNames } from '../../../verdict/use-as-names.ts';
import { downloadBlob } from '../download-text.ts';

const BulkSummary = lazy(async () => ({ default: (await import('./bulk-summary.tsx')).BulkSummary }));

/** Many addresses at once: a file is read here, and nothing of it is sent but the addresses, after the cost was agreed to. */
export function BulkPage({ account }: { readonly account: ConsoleAccount }) {
  const c = useConsole();
  usePageTitle(c.bulk.title);
  // The document of each tier has fields of its own.
  const owner = `${account.id} ${account.data_tier}`;
  const bulk = useBulk(owner);
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
  return (
    <Page title={c.bulk.title} lead={c.bulk.lead}>
      {state.phase === 'empty' || state.phase === 'reading' || state.phase === 'unreadable' ? (
        <Source bulk={bulk} owner={owner} />
      ) : (
        <Work bulk={bulk} usage={usage.data} asName={asName} onSaved={() => setSaved(answers)} />
      )}
      <ProblemAlert problem={usage.problem} />
      {state.summary !== undefined && (
        <Suspense fallback={<Skeleton height={320} radius="lg" />}>
          <BulkSummary summary={state.summary} asName={asName} />
        </Suspense>
      )}
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

function Source({ bulk: { state, read }, owner }: { readonly bulk: Bulk; readonly owner: string }) {
  const c = useConsole();
  const { tag } = useLocale();
  const [text, setText] = useState('');
  const take = (file: File | null | undefined): void => {
    if (file !== null && file !== undefined) read(file, file.name);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  };
  return (
    <section className="card" onDragOver={(event) => event.preventDefault()} onDrop={drop} aria-label={c.bulk.file}>
      <Stack gap="md">
        <Unfinished owner={owner} />
        <div>
          <Group gap="sm">
            <FileButton onChange={take}>{(props) => <Button {...props}>{c.bulk.choose}</Button>}</FileButton>
            <Text c="dimmed">{c.bulk.drop}</Text>
          </Group>
          <Text size="sm" c="dimmed" mt="xs">
            {c.bulk.fileHint}
          </Text>
        </div>
        <Textarea
          label={c.bulk.paste}
          autosize
          minRows={5}
          maxRows={12}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          disabled={text.trim() === ''}
          onClick={() => read(new Blob([text]), c.bulk.pasted)}
          loading={state.phase === 'reading'}
        >
          {c.bulk.usePasted}
        </Button>
        <Text size="sm" role="status">
          {state.phase === 'reading' && fill(c.bulk.reading, { n: formatNumber(tag, state.lines) })}
        </Text>
        {state.unreadable !== undefined && (
          <Alert color="red" variant="light" role="alert" data-reason={state.unreadable}>
            {c.bulk.unreadable[state.unreadable]}
          </Alert>
        )}
      </Stack>
    </section>
  );
}

interface KeptRun {
  readonly name: string;
  readonly done: number;
  readonly of: number;
}

/** Runs that were left before their end: the same file goes on where each stopped. */
function Unfinished({ owner }: { readonly owner: string }) {
  const c = useConsole();
  const { tag } = useLocale();
  const [runs, setRuns] = useState<readonly KeptRun[]>([]);
  useEffect(() => {
    // Where the browser keeps nothing there is nothing to offer; the run itself says so.
    keptBatches(owner, Date.now()).then(
      (batches) =>
        setRuns([...Map.groupBy(batches, ({ run }) => run).values()].map(keptRun).filter(({ done, of }) => done < of)),
      () => setRuns([]),
    );
  }, [owner]);
  return runs.map(({ name, done, of }) => (
    <Text key={name} size="sm" role="status" data-testid="bulk-unfinished">
      {fill(c.bulk.unfinished, { file: name, done: formatNumber(tag, done), of: formatNumber(tag, of) })}
    </Text>
  ));
}

const keptRun = (batches: readonly KeptBatch[]): KeptRun => ({
  name: batches[0]!.name,
  done: batches.reduce((sum, { answers }) => sum + answers.length, 0),
  of: batches[0]!.of,
});

interface WorkProps {
  readonly bulk: Bulk;
  readonly usage: ConsoleUsage | undefined;
  readonly asName: AsName;
  readonly onSaved: () => void;
}

/** Findings, cost and progress. */
function Work({ bulk, usage, asName, onSaved }: WorkProps) {
  const c = useConsole();
  const { tag } = useLocale();
  const { state, stop, clear, forget } = bulk;
  const { found, phase, problem, left } = state;
  const n = (value: number): string => formatNumber(tag, value);
  if (found === undefined) return null;
  return (
    <section className="card">
      <Stack gap="sm">
        <Text fw={600} style={{ overflowWrap: 'anywhere' }} data-testid="bulk-found">
          {fill(c.bulk.found, {
            file: state.name ?? '',
            addresses: n(found.addresses),
            lines: n(found.lines),
            format: found.format,
          })}
        </Text>
        {found.withoutAddress + found.reserved > 0 && (
          <Text size="sm" c="dimmed">
            {fill(c.bulk.leftOut, { none: n(found.withoutAddress), reserved: n(found.reserved) })}
          </Text>
        )}
        {found.kept > 0 && phase === 'found' && (
          <Group gap="sm">
            <Text data-testid="bulk-kept">{fill(c.bulk.kept, { n: n(found.kept) })}</Text>
            <Button size="compact-sm" variant="default" onClick={forget}>
              {c.bulk.forget}
            </Button>
          </Group>
        )}
        {state.unkept && <Text size="sm">{c.bulk.unkept}</Text>}
        {phase === 'running' ? <Running bulk={bulk} /> : <Cost bulk={bulk} usage={usage} />}
        {phase === 'ended' && (
          <Text role="status">{left === 0 ? c.bulk.done : fill(c.bulk.stopped, { left: n(left) })}</Text>
        )}
        <ProblemAlert problem={problem} />
        <Group gap="sm">
          {phase === 'running' && (
            <Button variant="default" onClick={stop}>
              {c.bulk.stop}
            </Button>
          )}
          {(phase === 'ended' || state.summary !== undefined) && (
            <Downloads bulk={bulk} asName={asName} onSaved={onSaved} />
          )}
          {phase !== 'running' && (
            <Button variant="default" onClick={clear}>
              {c.bulk.another}
            </Button>
          )}
        </Group>
      </Stack>
    </section>
  );
}

const secondsTo = (at: number, now: number): number => Math.max(0, Math.ceil((at - now) / 1000));

/** Minutes and seconds: 6:05. */
const timeLeft = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** The clock, every second. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(tick);
  }, []);
  return now;
}

function Running({ bulk: { state } }: { readonly bulk: Bulk }) {
  const c = useConsole();
  const { tag } = useLocale();
  const now = useNow();
  const { done, of, charged } = state.progress;
  const n = (value: number): string => formatNumber(tag, value);
  const text = fill(c.bulk.progress, { done: n(done), of: n(of), charged: n(charged) });
  return (
    <div>
      <Progress value={of === 0 ? 0 : (100 * done) / of} size="lg" mb="xs" aria-label={text} />
      <Text size="sm" role="status">
        {text}
      </Text>
      {/* The seconds are not announced: a reader would hear each of them. */}
      {state.waitsUntil !== undefined && (
        <Text size="sm">{fill(c.bulk.waiting, { seconds: secondsTo(state.waitsUntil, now) })}</Text>
      )}
      {state.endsAt !== undefined && (
        <Text size="sm" data-testid="bulk-left">
          {fill(c.bulk.timeLeft, { time: timeLeft(secondsTo(state.endsAt, now)) })}
        </Text>
      )}
    </div>
  );
}

/** Highest cost of a run, before anything is sent. */
function Cost({ bulk: { state, run }, usage }: Pick<WorkProps, 'bulk' | 'usage'>) {
  const c = useConsole();
  const { tag } = useLocale();
  const { left, phase } = state;
  const n = (value: number): string => formatNumber(tag, value);
  if (left === 0) return phase === 'found' ? <Text>{c.bulk.nothing}</Text> : null;
  if (usage === undefined) return null;
  const { remaining = 0, per_min: perMin } = usage.me;
  const most = Math.min(left, remaining);
  const cost =
    remaining === 0
      ? c.bulk.noneLeft
      : fill(most < left ? c.bulk.costPart : c.bulk.cost, { n: n(most), remaining: n(remaining) });
  return (
    <>
      <Text data-testid="bulk-cost">
        {cost} {most > perMin && fill(c.bulk.minutes, { perMin: n(perMin), minutes: n(Math.ceil(most / perMin)) })}
      </Text>
      <Button style={{ alignSelf: 'flex-start' }} disabled={most === 0} onClick={() => run(most, perMin)}>
        {fill(phase === 'ended' ? c.bulk.resume : c.bulk.run, { n: n(most) })}
      </Button>
    </>
  );
}

function Downloads({ bulk: { state, csv }, asName, onSaved }: Omit<WorkProps, 'usage'>) {
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

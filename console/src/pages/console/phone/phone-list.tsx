import { Button, NativeSelect, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ConsoleUsage } from '../../../../../src/contract/console.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useAskBeforeLeaving } from '../../../ask-before-leaving.ts';
import { BulkSource } from '../../../bulk/bulk-source.tsx';
import { BulkWork } from '../../../bulk/bulk-work.tsx';
import { questionBeforeLeaving } from '../../../bulk/question-before-leaving.ts';
import { type Bulk, useBulk } from '../../../bulk/use-bulk.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import type { PhoneFindings, PhoneOptions } from '../../../phone/phone-options.ts';
import type { PhoneSummary } from '../../../phone/phone-rows.ts';
import { downloadBlob } from '../download-text.ts';
import { PhoneResults } from './phone-results.tsx';
import { RegionSelect } from './region-select.tsx';

const startWorker = (): Worker =>
  new Worker(new URL('../../../phone/phone-worker.ts', import.meta.url), { type: 'module' });

/**
 * A list: it is read here, and nothing of it is sent but the numbers, after the cost was agreed to.
 * @param owner under which answers are kept in this browser
 */
export function PhoneList({ owner }: { readonly owner: string }) {
  const c = useConsole();
  const { tag } = useLocale();
  const words = { ...c.bulk, ...c.phone.bulk };
  const bulk: Bulk<PhoneFindings, PhoneSummary, PhoneOptions> = useBulk(owner, startWorker);
  const { state } = bulk;
  const { found, summary, phase } = state;
  const usage = useLoad<ConsoleUsage>('/usage');
  const { reload } = usage;
  const [chosen, setChosen] = useState<{ readonly source: Blob; readonly name: string }>();
  const [region, setRegion] = useState<string>();
  const [saved, setSaved] = useState<string>();
  const answers = `${state.name} ${state.left}`;
  const question = questionBeforeLeaving(state, saved === answers);
  useAskBeforeLeaving(question && words[question]);
  useEffect(() => {
    // Single numbers were charged since.
    if (phase === 'found' || phase === 'ended') reload();
  }, [phase, reload]);

  const read = (source: Blob, name: string, options: PhoneOptions): void => {
    setChosen({ source, name });
    bulk.read(source, name, options);
  };
  const n = (value: number): string => formatNumber(tag, value);
  const remaining = usage.data?.me.capabilities?.phone?.remaining;
  const allowance = remaining === undefined ? undefined : { remaining, perMin: usage.data?.phone_per_min ?? 1 };
  const download = async (): Promise<void> => {
    downloadBlob('pulse-phone.csv', await bulk.csv());
    setSaved(answers);
  };
  if (found === undefined)
    return (
      <BulkSource
        state={state}
        read={(source, name) => read(source, name, { field: undefined, region })}
        owner={owner}
        words={words}
      >
        <RegionSelect value={region} onChange={setRegion} />
      </BulkSource>
    );
  const again = (options: Partial<PhoneOptions>): void => {
    if ('region' in options) setRegion(options.region);
    const field = found.columns === undefined ? undefined : `${found.column + 1}`;
    if (chosen !== undefined) read(chosen.source, chosen.name, { field, region, ...options });
  };
  return (
    <>
      <BulkWork
        bulk={bulk}
        words={words}
        allowance={allowance}
        headline={fill(words.found, { file: state.name ?? '', numbers: n(found.entries), lines: n(found.lines) })}
        downloads={
          <Button variant={state.left === 0 ? 'filled' : 'default'} onClick={download}>
            {words.csv}
          </Button>
        }
      >
        {found.withoutNumber > 0 && (
          <Text size="sm" c="dimmed">
            {fill(c.phone.withoutNumber, { n: n(found.withoutNumber) })}
          </Text>
        )}
        {found.badLength > 0 && <Text size="sm">{fill(c.phone.badLength, { n: n(found.badLength) })}</Text>}
        {phase === 'found' && found.columns !== undefined && (
          <NativeSelect
            label={c.phone.column}
            data={found.columns.map((label, i) => ({ value: `${i + 1}`, label: label === '' ? `${i + 1}` : label }))}
            value={`${found.column + 1}`}
            onChange={(event) => again({ field: event.currentTarget.value })}
          />
        )}
        {phase === 'found' && <RegionSelect value={region} onChange={(value) => again({ region: value })} />}
      </BulkWork>
      <ProblemAlert problem={usage.problem} />
      {summary !== undefined && <PhoneResults summary={summary} />}
    </>
  );
}

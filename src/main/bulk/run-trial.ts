import { openHistory } from '../../adapters/evidence/open-history.ts';
import { shareRead } from '../../adapters/log-files/open-input.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Config } from '../../config.ts';
import type { LayoutOptions } from '../../core/logs/detect-layout.ts';
import type { LineReader } from '../../core/logs/line-reader.ts';
import { makeLineReader } from '../../core/logs/make-line-reader.ts';
import type { ReadingProgress } from '../../core/logs/reading-progress.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { TrialDocument } from '../../core/trial/trial-document.ts';
import { TrialTally } from '../../core/trial/trial-tally.ts';
import { userReader } from '../../core/trial/user-reader.ts';
import type { UnixMs } from '../../core/units.ts';
import { localImages, openImages } from './local-images.ts';
import { TrialJudge } from './trial-judge.ts';
import { requireAddresses, withRecords } from './with-records.ts';

export interface TrialOptions {
  readonly path: string;
  readonly loginsPath: string | undefined;
  readonly policy: Policy;
  readonly options: LayoutOptions;
  readonly allowPartial: boolean;
  readonly moment: UnixMs | 'line' | undefined;
  readonly top: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReadingProgress) => void;
}

/** Returns what a policy would have done to the records of a log, from the data folder. */
export async function runTrial(config: Config, trial: TrialOptions): Promise<TrialDocument> {
  const now = systemClock.now();
  const store = await openHistory(config);
  try {
    const { view } = openImages(await localImages(config, store, now));
    const judge = new TrialJudge({ ...trial, config, store, view, now });
    const tally = new TrialTally();
    await eachRecord(trial.path, trial, async (reader) => {
      if (!reader.hasAddress) return tally.pass('without_address');
      const time = reader.time();
      const result = await judge.judge(reader.address, time);
      if (typeof result === 'string') tally.pass(result);
      else tally.note(reader.address, time, result);
    });
    if (trial.loginsPath !== undefined)
      await eachRecord(trial.loginsPath, { ...trial, options: {} }, async (reader, user) => {
        if (!reader.hasAddress) return tally.passLogin('without_address');
        const time = reader.time();
        const result = await judge.judge(reader.address, time);
        if (typeof result === 'string') tally.passLogin(result);
        else tally.noteLogin(reader.address, { user: user(), time }, result);
      });
    const at = trial.moment === 'line' ? 'line' : new Date(trial.moment ?? now).toISOString();
    return tally.document(at, trial.top);
  } finally {
    await store.close();
  }
}

const decoder = new TextDecoder();

/** @param take is given the record and a reader of its user's name */
async function eachRecord(
  path: string,
  trial: Pick<TrialOptions, 'options' | 'allowPartial' | 'signal' | 'onProgress'>,
  take: (reader: LineReader, user: () => string | undefined) => Promise<void>,
): Promise<void> {
  await withRecords(path, trial, async (input) => {
    const { lines } = input;
    if (lines === undefined) return;
    const reader = makeLineReader(lines.layout);
    const userOf = userReader(lines.layout);
    let [records, without] = [0, 0];
    let isHeader = lines.layout.header !== undefined;
    for await (const block of lines.blocks) {
      trial.signal.throwIfAborted();
      for (let from = 0; from < block.length; ) {
        const begun = from;
        from = reader.read(block, from);
        if (isHeader) {
          isHeader = false;
          continue;
        }
        records++;
        if (!reader.hasAddress) without++;
        await take(reader, () => userOf(decoder.decode(block.subarray(begun, reader.end))));
      }
      trial.onProgress({ records, share: shareRead(input) });
    }
    requireAddresses({ records, without, judged: records - without }, lines.layout, trial);
  });
}

import { availableParallelism } from 'node:os';
import { localPools } from '../../adapters/data-folder/local-pools.ts';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { shareRead } from '../../adapters/log-files/open-input.ts';
import { type Output, OutputClosed, openOutput } from '../../adapters/log-files/open-output.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { HttpVerdicts } from '../../adapters/verdicts/http-verdicts.ts';
import type { Config } from '../../config.ts';
import {
  addCounts,
  BlockEnricher,
  type EnrichCounts,
  type EnrichPlan,
  NO_RECORDS,
} from '../../core/enrich/block-enricher.ts';
import { GatheredSuffixes } from '../../core/enrich/gathered-suffixes.ts';
import { type FieldPath, needsProfessional } from '../../core/fields/field-path.ts';
import type { UnixMs } from '../../core/units.ts';
import { PulseLookup } from '../../service/lookup/lookup-pulse.ts';
import { PastVerdicts } from '../../service/lookup/past-verdicts.ts';
import type { VerdictSource } from '../../service/lookup/verdict-source.ts';
import { type HistoryStore, isDegraded } from '../../service/ports.ts';
import type { EnrichOptions, EnrichReport } from './enrich-options.ts';
import { type Enricher, enrichInThread, enrichInTurns, enrichThreads } from './enrich-threads.ts';
import { type LocalImages, localImages, openImages, planText } from './local-enricher.ts';
import { type OpenedSummary, openSummary } from './run-summarize.ts';
import { type Records, requireAddresses, withRecords } from './with-records.ts';

/** One thread finishes this much input before others have started. */
const SMALL_BYTES = 256 * 1024 * 1024;

/**
 * Adds fields of verdicts to every record of a file with an address (decisions 10.2). Records keep their
 * order; memory does not depend on the size of the file.
 * @throws Error for a file that cannot be read or written, or whose layout is not clear; Problem for a moment
 * that cannot be answered
 */
export async function runEnrich(config: Config, options: EnrichOptions): Promise<EnrichReport> {
  return await withRecords(options.path, options, (records) => enrichRecords(config, options, records));
}

async function enrichRecords(config: Config, options: EnrichOptions, input: Records): Promise<EnrichReport> {
  const { lines } = input;
  const now = systemClock.now();
  const output = await openOutput(options.out);
  try {
    if (lines === undefined) {
      await output.finish();
      return { ...NO_RECORDS, format: undefined, moment: options.moment ?? now, degraded: false };
    }
    // A line that is a record for each of its addresses names the address.
    const isOfEach = lines.layout.which === 'all' && !options.fields.includes('ip');
    const fields: readonly FieldPath[] = isOfEach ? ['ip', ...options.fields] : options.fields;
    const plan = { layout: lines.layout, fields, form: options.form };
    const isOneEnough = input.size !== undefined && input.size < SMALL_BYTES;
    const jobs = options.jobs ?? (isOneEnough ? 1 : availableParallelism());
    const { enricher, lacksEvidence, images } = await openEnricher(config, { ...options, jobs }, plan, now);
    let opened: OpenedSummary | undefined;
    try {
      if (options.summarizes && images !== undefined)
        opened = await openSummary(config, {
          moment: options.moment === 'line' ? undefined : options.moment,
          layout: lines.layout,
          now,
          images,
        });
      const blocks = opened === undefined ? lines.blocks : counted(lines.blocks, opened);
      const counts = await enrichAll(blocks, enricher, output, options, () => shareRead(input));
      const { records, withoutAddress: without, enriched: judged } = counts;
      requireAddresses({ records, without, judged }, lines.layout, options);
      const summary = (await opened?.end())?.summary;
      await output.finish();
      return {
        ...counts,
        format: lines.layout.format,
        moment: options.moment ?? now,
        degraded: lacksEvidence(),
        summary,
      };
    } finally {
      await opened?.close();
      await enricher.close();
    }
  } catch (error) {
    await output.abandon();
    throw error;
  }
}

async function* counted(blocks: AsyncIterable<Uint8Array>, summary: OpenedSummary): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) {
    await summary.add(block);
    yield block;
  }
}

async function enrichAll(
  blocks: AsyncIterable<Uint8Array>,
  enricher: Enricher,
  output: Output,
  { signal, onProgress }: EnrichOptions,
  share: () => number | undefined,
): Promise<EnrichCounts> {
  let counts = NO_RECORDS;
  const underWay: ReturnType<Enricher['enrich']>[] = [];
  let writing: Promise<void> = Promise.resolve();
  const writeNext = async (): Promise<void> => {
    const { bytes, counts: more } = await underWay.shift()!;
    await writing;
    writing = output.write(bytes);
    // The rejection is handled when the next one is written.
    writing.catch(() => undefined);
    counts = addCounts(counts, more);
    onProgress({ records: counts.records, share: share() });
  };
  let isFirst = true;
  try {
    for await (const block of blocks) {
      signal.throwIfAborted();
      const enriched = enricher.enrich(block, isFirst);
      enriched.catch(() => undefined);
      underWay.push(enriched);
      isFirst = false;
      if (underWay.length >= enricher.together) await writeNext();
    }
    while (underWay.length > 0) await writeNext();
    await writing;
    signal.throwIfAborted();
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  }
  return counts;
}

interface OpenedEnricher {
  readonly enricher: Enricher;
  readonly lacksEvidence: () => boolean;
  readonly images?: LocalImages;
}

async function openEnricher(
  config: Config,
  options: EnrichOptions & { readonly jobs: number },
  plan: EnrichPlan,
  now: UnixMs,
): Promise<OpenedEnricher> {
  const { server, moment, signal, onWait } = options;
  const professional = needsProfessional(plan.fields) || moment !== undefined;
  if (server !== undefined) {
    const at = typeof moment === 'number' ? new Date(moment).toISOString() : undefined;
    const verdicts = new HttpVerdicts({ ...server, professional, at, signal, onWait });
    return { enricher: gathering(plan, verdicts), lacksEvidence: () => verdicts.degraded };
  }
  const store = await openHistory(config);
  if (moment !== undefined) return await openPast(config, store, plan, { now, moment });
  try {
    const images = await localImages(config, store, now);
    const local = { plan, images, at: now, pools: professional ? localPools(config) : undefined };
    return {
      enricher: options.jobs > 1 ? enrichThreads(local, options.jobs) : enrichInThread(local),
      lacksEvidence: () => images.degraded,
      images,
    };
  } finally {
    await store.close();
  }
}

async function openPast(
  config: Config,
  store: HistoryStore,
  plan: EnrichPlan,
  { now, moment }: { readonly now: UnixMs; readonly moment: UnixMs | 'line' },
): Promise<OpenedEnricher> {
  const images = await localImages(config, store, now);
  const fixed = moment === 'line' ? undefined : moment;
  const degraded = isDegraded(await store.leftOutAt(fixed ?? now));
  const pulse = new PulseLookup({
    history: config.history ? store : undefined,
    ...localPools(config),
  });
  const past = new PastVerdicts({ pulse, ...openImages(images), now, moment: fixed });
  const close = async () => await store.close();
  return {
    enricher: gathering(plan, past, { isByTime: moment === 'line', close }),
    lacksEvidence: () => degraded,
    images,
  };
}

function gathering(
  plan: EnrichPlan,
  source: VerdictSource,
  {
    isByTime = false,
    close = async () => {},
  }: { readonly isByTime?: boolean; readonly close?: () => Promise<void> } = {},
): Enricher {
  const suffixes = new GatheredSuffixes(planText(plan), isByTime);
  const enricher = enrichInTurns(new BlockEnricher(plan, suffixes, Buffer.allocUnsafeSlow), async (block) => {
    const missing = suffixes.missing(block, plan.layout);
    suffixes.take(missing, await source.verdictsOf(missing));
  });
  return { ...enricher, close };
}

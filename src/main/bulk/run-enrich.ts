import { availableParallelism } from 'node:os';
import { openInput, shareRead } from '../../adapters/log-files/open-input.ts';
import { type Output, OutputClosed, openOutput } from '../../adapters/log-files/open-output.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { HttpVerdicts } from '../../adapters/verdicts/http-verdicts.ts';
import type { Config } from '../../config.ts';
import { BlockEnricher, type EnrichPlan } from '../../core/enrich/block-enricher.ts';
import type { OutputForm } from '../../core/enrich/conversion.ts';
import { addCounts, type EnrichCounts, NO_RECORDS } from '../../core/enrich/enrich-counts.ts';
import { GatheredSuffixes } from '../../core/enrich/gathered-suffixes.ts';
import { type FieldPath, needsProfessional } from '../../core/fields/field-path.ts';
import type { LayoutWishes } from '../../core/logs/detect-layout.ts';
import type { LineFormat } from '../../core/logs/line-format.ts';
import type { ReadingProgress } from '../../core/logs/reading-progress.ts';
import type { UnixMs } from '../../core/units.ts';
import { PulseLookup } from '../../service/lookup-pulse.ts';
import { PastVerdicts } from '../../service/past-verdicts.ts';
import { type HistoryStore, isDegraded } from '../../service/ports.ts';
import type { VerdictSource } from '../../service/verdict-source.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import { openHistory } from '../evidence/open-history.ts';
import { type Enricher, enrichHere, enrichThreads, inTurn } from './enrich-threads.ts';
import { planText } from './local-enricher.ts';
import { localImages, openImages } from './local-images.ts';
import { readBlocks } from './read-blocks.ts';

export interface EnrichOrder {
  /** A file, or `-` for standard input. */
  readonly path: string;
  /** The file that is replaced; undefined: standard output. */
  readonly out: string | undefined;
  readonly wishes: LayoutWishes;
  readonly fields: readonly FieldPath[];
  readonly form: OutputForm;
  /** The moment asked about; undefined: now. */
  readonly moment: UnixMs | undefined;
  /** Undefined: verdicts come from the data folder. */
  readonly server: { readonly url: string; readonly key: string | undefined } | undefined;
  /** Threads that enrich from local data of this moment; undefined: what suits the size. */
  readonly jobs: number | undefined;
  /** Ends the work; a file that is being written stays as it was. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReadingProgress) => void;
  readonly onWait: (reason: string) => void;
}

export interface EnrichReport extends EnrichCounts {
  /** Undefined: the file is empty. */
  readonly format: LineFormat | undefined;
  readonly moment: UnixMs;
  /** Sources of evidence were missing. */
  readonly degraded: boolean;
}

/** Input that one thread is through with before others have started and learned, bytes. */
const SMALL_BYTES = 256 * 1024 * 1024;

/**
 * Adds fields of verdicts to every record of a file with an address (decisions 10.2). Records keep their order; memory does not depend on the size of the file.
 * @throws Error for a file that cannot be read or written, or whose layout is not clear; Problem for a moment that cannot be answered
 */
export async function runEnrich(config: Config, order: EnrichOrder): Promise<EnrichReport> {
  const input = await openInput(order.path, order.signal);
  const lines = await readBlocks(input.chunks, order.wishes);
  const now = systemClock.now();
  const output = openOutput(order.out);
  try {
    if (lines === undefined) {
      await output.finish();
      return { ...NO_RECORDS, format: undefined, moment: order.moment ?? now, degraded: false };
    }
    const plan = { layout: lines.layout, fields: order.fields, form: order.form };
    const jobs = order.jobs ?? (input.size !== undefined && input.size < SMALL_BYTES ? 1 : availableParallelism());
    const { enricher, lacksEvidence } = await openEnricher(config, { ...order, jobs }, plan, now);
    try {
      const counts = await enrichAll(lines.blocks, enricher, output, order, () => shareRead(input));
      await output.finish();
      return { ...counts, format: lines.layout.format, moment: order.moment ?? now, degraded: lacksEvidence() };
    } finally {
      await enricher.close();
    }
  } catch (error) {
    await output.abandon();
    throw error;
  }
}

/** Writes blocks in their order while as many as are worth it are under way. */
async function enrichAll(
  blocks: AsyncIterable<Uint8Array>,
  enricher: Enricher,
  output: Output,
  { signal, onProgress }: EnrichOrder,
  share: () => number | undefined,
): Promise<EnrichCounts> {
  let counts = NO_RECORDS;
  const underWay: ReturnType<Enricher['enrich']>[] = [];
  let writing: Promise<void> = Promise.resolve();
  const writeNext = async (): Promise<void> => {
    const { bytes, counts: more } = await underWay.shift()!;
    await writing;
    writing = output.write(bytes);
    // Heard when the next one is written.
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

interface Opened {
  readonly enricher: Enricher;
  /** Known when the work is done. */
  readonly lacksEvidence: () => boolean;
}

async function openEnricher(config: Config, order: EnrichOrder & { readonly jobs: number }, plan: EnrichPlan, now: UnixMs): Promise<Opened> {
  const { server, moment, signal, onWait } = order;
  const professional = needsProfessional(plan.fields) || moment !== undefined;
  if (server !== undefined) {
    const at = moment === undefined ? undefined : new Date(moment).toISOString();
    const verdicts = new HttpVerdicts({ ...server, professional, at, signal, onWait });
    return { enricher: gathering(plan, verdicts), lacksEvidence: () => verdicts.degraded };
  }
  const store = await openHistory(config);
  if (moment !== undefined) return await openPast(config, store, plan, { now, moment });
  try {
    const images = await localImages(config, store, now);
    const poolSecret = professional ? loadSecret(config).subkey('pool-handle') : undefined;
    const local = { plan, images, at: now, poolSecret };
    return { enricher: order.jobs > 1 ? enrichThreads(local, order.jobs) : enrichHere(local), lacksEvidence: () => images.degraded };
  } finally {
    await store.close();
  }
}

async function openPast(
  config: Config,
  store: HistoryStore,
  plan: EnrichPlan,
  { now, moment }: { readonly now: UnixMs; readonly moment: UnixMs },
): Promise<Opened> {
  const images = await localImages(config, store, now);
  const degraded = isDegraded(await store.leftOutAt(moment));
  const pulse = new PulseLookup({ history: config.history ? store : undefined, secret: loadSecret(config).subkey('pool-handle') });
  const past = new PastVerdicts({ pulse, view: openImages(images).view, now, moment });
  return { enricher: gathering(plan, past, async () => await store.close()), lacksEvidence: () => degraded };
}

/** Asks for the addresses of a block together, one block after another. */
function gathering(plan: EnrichPlan, source: VerdictSource, close: () => Promise<void> = async () => {}): Enricher {
  const suffixes = new GatheredSuffixes(planText(plan));
  const enricher = inTurn(new BlockEnricher(plan, suffixes, Buffer.allocUnsafeSlow), async (block) => {
    const missing = suffixes.missing(block, plan.layout);
    suffixes.take(missing, await source.verdictsOf(missing));
  });
  return { ...enricher, close };
}

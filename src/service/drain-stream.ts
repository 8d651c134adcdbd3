import type { IntakeReply, IntakeRequest, SentBody } from './accept-captures.ts';
import { ATTEMPTS_MAX, CLAIM_AFTER_MS, type IntakeReader, type StreamEntry, type WaitingBatch } from './waiting-batch.ts';

export interface DrainOptions {
  readonly reader: IntakeReader;
  /** Takes a batch into the store, once however often it is asked. @throws Error where that fails */
  readonly accept: (body: SentBody, request: IntakeRequest) => Promise<IntakeReply>;
  /** Resolves when the store answers questions. @throws Error where it does not */
  readonly probe: () => Promise<unknown>;
  /** Ends the work after the batch under way. */
  readonly signal: AbortSignal;
  /** Resolves after so many milliseconds, or at once when the signal is given. */
  readonly pause: (ms: number) => Promise<void>;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void; info(fields: object, message: string): void };
}

/** Waits after a failure: doubled from one to the other, milliseconds. */
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 10_000;
/** A batch fails so often, while the store is there, before it is set aside. */
const FAILURES_MAX = 5;
/** Batches under way at once: small ones share a transaction of the store. */
const UNDER_WAY_MAX = 8;
/** Other nodes hear this often that a batch is under way, milliseconds. */
const KEEP_EVERY_MS = CLAIM_AFTER_MS / 5;

const waitMs = (failures: number): number => Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10));

/**
 * Stores what waits in the stream, a few entries at a time and in no order, until the signal is given. An entry leaves the stream after the store has committed it. What the store refuses for
 * ever, or fails at while it answers other questions, is set aside, so that nothing stops the others.
 */
export async function drainStream(options: DrainOptions): Promise<void> {
  const { reader, signal, pause, log } = options;
  const underWay = new Set<Promise<void>>();
  const begin = (entry: StreamEntry): void => {
    const work = takeEntry(entry, options)
      .catch((error: unknown) => log.error({ error, entry: entry.id }, 'an entry could not be taken out of the stream; it is handed out again'))
      .finally(() => underWay.delete(work));
    underWay.add(work);
  };
  let failures = 0;
  while (!signal.aborted) {
    try {
      if (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay);
      const entry = await reader.next();
      if (failures > 0) log.info({}, 'the stream of the intake can be read again');
      failures = 0;
      if (entry !== undefined) begin(entry);
    } catch (error) {
      failures += 1;
      if (failures === 1) log.error({ error }, 'the stream of the intake cannot be read; what waits in it is stored later');
      await pause(waitMs(failures));
    }
  }
  await Promise.all(underWay);
}

async function takeEntry({ id, batch, attempts }: StreamEntry, options: DrainOptions): Promise<void> {
  if (batch === undefined) return setAside(id, undefined, 'not_sealed', options);
  if (attempts > ATTEMPTS_MAX && (await answers(options.probe))) return setAside(id, batch, 'too_many_attempts', options);
  const keeping = setInterval(() => void options.reader.keep(id).catch(() => {}), KEEP_EVERY_MS);
  try {
    const reply = await storeBatch(batch, options);
    if (reply === undefined) return;
    if (reply.status !== 'taken') return await setAside(id, batch, reply.status, options);
    await options.reader.settle(id);
    const { refused } = reply.outcome;
    const late = Object.fromEntries(Object.entries(refused).filter(([, row]) => row.first_lines === undefined));
    if (Object.keys(late).length > 0)
      options.log.warn({ source: batch.source, batch: batch.id, refused: late }, 'the store refused captures of a batch that had waited');
  } finally {
    clearInterval(keeping);
  }
}

/** @returns undefined: the signal was given first, and the batch is for another node or the next start */
async function storeBatch(
  batch: WaitingBatch,
  { accept, probe, signal, pause, log }: DrainOptions,
): Promise<IntakeReply | { readonly status: 'failed' } | undefined> {
  const { body, ...request } = batch;
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      const reply = await accept({ bytes: body, gzip: true }, { ...request, isCounted: true });
      if (reply.status !== 'busy') return reply;
      await pause(waitMs(failures));
    } catch (error) {
      if (failures === 1) log.error({ error, source: batch.source, batch: batch.id }, 'a batch of the stream cannot be stored; it is tried again');
      if (failures >= FAILURES_MAX && (await answers(probe))) return { status: 'failed' };
      await pause(waitMs(failures));
    }
  }
  return undefined;
}

const answers = (probe: DrainOptions['probe']): Promise<boolean> =>
  probe().then(
    () => true,
    () => false,
  );

async function setAside(id: string, batch: WaitingBatch | undefined, reason: string, { reader, log }: DrainOptions): Promise<void> {
  await reader.setAside(id, reason);
  const named = batch === undefined ? {} : { source: batch.source, batch: batch.id };
  log.error({ entry: id, reason, ...named }, 'a batch of the stream cannot be taken in and was set aside');
}

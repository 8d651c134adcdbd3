import { HEARTBEAT_EVERY_MS } from '../../core/collection/tally/collection-tally.ts';
import { backOff } from '../../core/kit/back-off.ts';
import type { CaptureReceiver, CaptureSpool, PackedCaptures, SendResult } from './intake-ports.ts';

export interface SendCapturesOptions {
  readonly spool: CaptureSpool;
  readonly receiver: CaptureReceiver;
  readonly signal: AbortSignal;
  /** Waits this long, or until a batch enters the spool if `untilPut`; the signal ends it at once. */
  readonly pause: (ms: number, untilPut: boolean) => Promise<void>;
  readonly random: () => number;
  readonly log: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
    info(fields: object, message: string): void;
  };
}

/** Waits between attempts start at one second, double after every failure, and reach one minute. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
const LONGEST_ASKED_MS = 3_600_000;

/**
 * Sends batches, the oldest first, until the signal aborts. A batch leaves the spool only after the
 * receiver's answer, so each is sent at least once, and its id lets the receiver take it once. Waits have
 * jitter, so sensors that failed together do not return together.
 */
export async function sendCaptures({
  spool,
  receiver,
  signal,
  pause,
  random,
  log,
}: SendCapturesOptions): Promise<void> {
  let failures = 0;
  const heartbeat = new Heartbeats(receiver, log);
  const later = async (retryAfterMs?: number): Promise<void> => {
    failures += 1;
    await pause(waitMs(retryAfterMs, failures, random()), false);
  };
  while (!signal.aborted) {
    try {
      const batch = await spool.oldest();
      if (batch === undefined) {
        await heartbeat.beat();
        await pause(HEARTBEAT_EVERY_MS, true);
        heartbeat.isDue = true;
        continue;
      }
      const result = await sendOne(batch, spool, receiver);
      if (result.status === 'later') {
        log.warn(
          { reason: result.reason, batches: spool.state.batches },
          'captures could not be delivered; they wait in the spool',
        );
        await later(result.retryAfterMs);
        continue;
      }
      if (failures > 0) log.info({ failures }, 'captures are delivered again');
      failures = 0;
      heartbeat.isDue = false;
      await settle(batch.id, result, spool, log);
    } catch (error) {
      log.error({ error }, 'the spool of captures cannot be read or changed; it is tried again');
      await later();
    }
  }
}

class Heartbeats {
  readonly #receiver: CaptureReceiver;
  readonly #log: SendCapturesOptions['log'];
  isDue = true;
  #unheard = false;

  constructor(receiver: CaptureReceiver, log: SendCapturesOptions['log']) {
    this.#receiver = receiver;
    this.#log = log;
  }

  async beat(): Promise<void> {
    if (!this.isDue || this.#receiver.heartbeat === undefined) return;
    const reason = await this.#receiver.heartbeat();
    if (reason !== undefined && !this.#unheard)
      this.#log.warn({ reason }, 'the service does not hear this sensor; captures would wait in the spool');
    if (reason === undefined && this.#unheard) this.#log.info({}, 'the service hears this sensor again');
    this.#unheard = reason !== undefined;
  }
}

/** Makes the batch final before its first transmission, so that it is the same each time. */
async function sendOne(batch: PackedCaptures, spool: CaptureSpool, receiver: CaptureReceiver): Promise<SendResult> {
  if (batch.isFinal || receiver.finish === undefined) return await receiver.send(batch);
  const finished = await receiver.finish(batch);
  if (finished.status !== 'finished') return finished;
  await spool.finish(batch.id, finished.body);
  return await receiver.send({ ...batch, body: finished.body, isFinal: true });
}

async function settle(
  id: string,
  result: Exclude<SendResult, { status: 'later' }>,
  spool: CaptureSpool,
  log: SendCapturesOptions['log'],
): Promise<void> {
  if (result.status === 'taken') {
    if (result.refused > 0)
      log.warn({ accepted: result.accepted, refused: result.refused }, 'the service refused some captures of a batch');
    await spool.remove(id);
  } else {
    log.error(
      { reason: result.reason, batch: id },
      'the service refused a batch of captures; it is kept in the folder refused of the spool',
    );
    await spool.setAside(id);
  }
}

/** Half of the wait is fixed and half is random; a wait requested by the receiver is kept in full. */
function waitMs(retryAfterMs: number | undefined, failures: number, chance: number): number {
  const wait = backOff(failures, { firstMs: FIRST_WAIT_MS, maxMs: LONGEST_WAIT_MS });
  return Math.min(LONGEST_ASKED_MS, retryAfterMs ?? 0) + (wait * (1 + chance)) / 2;
}

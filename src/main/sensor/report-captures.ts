import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { FileSpool, spoolFolder } from '../../adapters/spool/file-spool.ts';
import type { Logger } from '../../adapters/system/create-logger.ts';
import { printCaptures } from '../../core/collection/print-captures.ts';
import type { FoldedCapture } from '../../core/collection/tally/collection-tally.ts';
import type { CaptureReceiver } from '../../service/intake/intake-ports.ts';
import { sendCaptures } from '../../service/intake/send-captures.ts';

const pack = promisify(gzip);
/** A stopping process sends no longer than this; the rest waits in the spool for the next start. */
const LAST_DELIVERY_MS = 5000;
const LOOK_MS = 500;

export interface ReportOptions {
  readonly folder: string;
  readonly bytesMax: number;
  readonly receiver: CaptureReceiver;
}

export interface CaptureReport {
  /**
   * Stores captures until they are delivered. Resolves when they would survive a crash. @throws the disk's
   * error
   */
  put(rows: readonly FoldedCapture[]): Promise<void>;
  /**
   * Waits until the spool is less than half full or the signal aborts, for callers whose captures can wait
   * elsewhere.
   */
  room(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export async function reportCaptures(
  { folder, bytesMax, receiver }: ReportOptions,
  log: Logger,
): Promise<CaptureReport> {
  const signal = new PutSignal();
  const spool = await FileSpool.open(spoolFolder(folder), bytesMax, () => signal.give());
  const stopping = new AbortController();
  const pause = (ms: number, untilPut: boolean): Promise<void> => signal.pause(ms, untilPut, stopping.signal);
  const sending = sendCaptures({ spool, receiver, signal: stopping.signal, pause, random: Math.random, log });
  let dropped = 0;
  return {
    async put(rows) {
      await spool.put(await pack(printCaptures(rows)));
      if (spool.state.dropped > dropped)
        log.warn({ dropped: spool.state.dropped }, 'the spool is full, and its oldest batches are dropped');
      dropped = spool.state.dropped;
    },
    async room(until) {
      // Refused batches fill the spool too, but are dropped when others need room.
      while (!until.aborted && spool.state.batches > 0 && spool.state.bytes > bytesMax / 2) await wait(LOOK_MS);
    },
    async stop() {
      await Promise.race([emptied(spool, stopping.signal), wait(LAST_DELIVERY_MS)]);
      stopping.abort();
      // A silent service does not delay the stop: its batch is still in the spool.
      await Promise.race([sending, wait(LAST_DELIVERY_MS)]);
      await receiver.close();
    },
  };
}

async function emptied(spool: FileSpool, signal: AbortSignal): Promise<void> {
  while (spool.state.batches > 0 && !signal.aborted) await wait(50);
}

class PutSignal {
  #given = false;
  #wake: () => void = () => undefined;

  give(): void {
    this.#given = true;
    this.#wake();
  }

  async pause(ms: number, untilPut: boolean, signal: AbortSignal): Promise<void> {
    const given = this.#given;
    this.#given = false;
    if (untilPut && given) return;
    const early = new AbortController();
    this.#wake = () => untilPut && early.abort();
    await wait(ms, undefined, { signal: AbortSignal.any([early.signal, signal]) }).catch(() => undefined);
  }
}

import { randomUUID } from 'node:crypto';
import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import type { IntakeReply, IntakeRequest, SentBody } from '../../service/accept-captures.ts';
import type { CheckedCaptures } from '../../service/check-captures.ts';
import { type IntakeAnswer, queueCaptures } from '../../service/queue-captures.ts';
import type { IntakeAppender } from '../../service/waiting-batch.ts';
import type { HistoryTarget } from '../evidence/open-history.ts';

export type CheckCall = { readonly do: 'check'; readonly body: SentBody; readonly request: IntakeRequest } | { readonly do: 'close' };

export type CheckReply =
  /** `packed`: the body with gzip; left out where it came so. */
  | { readonly status: 'checked'; readonly checked: CheckedCaptures; readonly packed?: Uint8Array }
  | { readonly status: Extract<IntakeReply['status'], 'too_large' | 'damaged_gzip' | 'too_many_lines' | 'untrusted'> };

export interface CheckTarget extends HistoryTarget {
  /** Addresses of the operator, about which nothing is taken in. */
  readonly own: readonly string[];
}

/** Bodies that wait for one thread, as they came. */
const WAITING_MAX_BYTES = 32 * 1024 * 1024;
const IDLE_MS = 60_000;

/** Checks what senders bring on a thread of its own, and appends it to the stream. */
export class CheckThread {
  readonly #calls: WorkerCalls<CheckCall, CheckReply | undefined>;
  readonly #stream: IntakeAppender;
  #waitingBytes = 0;

  constructor({ dataDir, databaseUrl, logLevel, own }: CheckTarget, stream: IntakeAppender) {
    this.#stream = stream;
    const options = { workerData: { dataDir, databaseUrl, logLevel, own }, idleMs: IDLE_MS, ended: 'the checking thread ended' };
    this.#calls = new WorkerCalls(new URL('./check-worker.ts', import.meta.url), options);
  }

  /** `queued`: the stream holds the captures. @throws Error where it cannot be known whether it does */
  async accept(body: SentBody, request: IntakeRequest): Promise<IntakeAnswer> {
    const size = body.bytes.length;
    if (this.#waitingBytes + size > WAITING_MAX_BYTES) return { status: 'busy' };
    this.#waitingBytes += size;
    try {
      const reply = (await this.#calls.call({ do: 'check', body, request }))!;
      if (reply.status !== 'checked') return { status: reply.status };
      return await queueCaptures(this.#stream, reply.checked, reply.packed ?? body.bytes, request, () => `stream.${randomUUID()}`);
    } finally {
      this.#waitingBytes -= size;
    }
  }

  async close(): Promise<void> {
    if (this.#calls.running) await this.#calls.call({ do: 'close' });
    await this.#calls.close();
  }
}

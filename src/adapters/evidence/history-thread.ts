import type { Heartbeat } from '../../core/collection/tally/collection-tally.ts';
import type { UnixMs } from '../../core/units.ts';
import type { AcceptOutcome } from '../../service/feeds/accept-quarantined.ts';
import type { IntakeReply, IntakeRequest, SentBody } from '../../service/intake/accept-captures.ts';
import type { ImportOutcome } from '../../service/intake/import-captures.ts';
import type { CompactionOutcome, HistoryUpkeep } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { WorkerCalls } from '../system/worker-calls.ts';
import type { SharedGeo } from './geo-facts.ts';
import type { HistoryTarget, HistoryUse } from './open-history.ts';

export type HistoryCall =
  | { readonly do: 'compact'; readonly with: Parameters<HistoryUpkeep['compact']> }
  | {
      readonly do: 'accept';
      readonly with: readonly [body: SentBody, request: IntakeRequest];
      readonly geo: SharedGeo | undefined;
    }
  | {
      readonly do: 'reading';
      readonly with: readonly [feed: string, digest: string];
      readonly geo: SharedGeo | undefined;
    }
  | { readonly do: 'heartbeat'; readonly with: readonly [heartbeat: Heartbeat] }
  | { readonly do: 'close'; readonly with: readonly [] };

const WAITING_MAX_BYTES = 32 * 1024 * 1024;

const IDLE_MS = 60_000;

export interface HistoryThreadUse extends Pick<HistoryUse, 'forCallers'> {
  readonly geo?: () => SharedGeo | undefined;
  readonly own?: readonly string[];
}

/**
 * Writes to the evidence store in a thread of its own, which lives while there is work, so that the calling
 * thread keeps answering.
 */
export class HistoryThread {
  readonly #calls: WorkerCalls<HistoryCall, unknown>;
  #waitingBytes = 0;

  readonly #geo: () => SharedGeo | undefined;

  /**
   * @param use.forCallers as in `openHistory` @param use.geo current network data, from which captures are
   * derived @param use.own addresses of the operator, about which no capture is accepted
   */
  constructor(
    { dataDir, databaseUrl, logLevel }: HistoryTarget,
    { forCallers = false, geo = () => undefined, own = [] }: HistoryThreadUse = {},
  ) {
    this.#geo = geo;
    const options = {
      workerData: { dataDir, databaseUrl, logLevel, forCallers, own },
      idleMs: IDLE_MS,
      ended: 'the writing thread ended',
    };
    this.#calls = new WorkerCalls(new URL('./history-worker.ts', import.meta.url), options);
  }

  compact(...args: Parameters<HistoryUpkeep['compact']>): Promise<CompactionOutcome> {
    return this.#calls.call({ do: 'compact', with: args }) as Promise<CompactionOutcome>;
  }

  /**
   * Records the captures of one body in one transaction. `busy`: too much is waiting, and nothing was
   * recorded.
   */
  async accept(body: SentBody, request: IntakeRequest): Promise<IntakeReply> {
    const size = body.bytes.length;
    if (this.#waitingBytes + size > WAITING_MAX_BYTES) return { status: 'busy' };
    this.#waitingBytes += size;
    try {
      return (await this.#calls.call({ do: 'accept', with: [body, request], geo: this.#geo() })) as IntakeReply;
    } finally {
      this.#waitingBytes -= size;
    }
  }

  async acceptReading(feed: string, digest: string): Promise<AcceptOutcome> {
    return (await this.#calls.call({ do: 'reading', with: [feed, digest], geo: this.#geo() })) as AcceptOutcome;
  }

  async heartbeat(heartbeat: Heartbeat): Promise<void> {
    await this.#calls.call({ do: 'heartbeat', with: [heartbeat] });
  }

  /**
   * Records rows of the service itself, one JSON object per line. @throws Problem forbidden for a source
   * without trust; Error when they were not recorded
   */
  async import(source: string, body: Uint8Array, at: UnixMs): Promise<ImportOutcome> {
    const reply = await this.accept({ bytes: body, gzip: false }, { source, format: 'ndjson', at, account: '' });
    if (reply.status === 'untrusted')
      throw new Problem('forbidden', {
        message: 'An operator withdrew the trust of this source: nothing of it is taken in.',
      });
    if (reply.status !== 'taken') throw new Error(`the rows were not taken in: ${reply.status}`);
    return reply.outcome;
  }

  async close(): Promise<void> {
    if (this.#calls.running) await this.#calls.call({ do: 'close', with: [] });
    await this.#calls.close();
  }
}

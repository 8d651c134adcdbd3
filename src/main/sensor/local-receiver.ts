import { HistoryThread } from '../../adapters/evidence/history-thread.ts';
import { ownAddresses } from '../../adapters/layers/load-intake-refusals.ts';
import { faultText } from '../../adapters/system/system-fault.ts';
import type { Config } from '../../config.ts';
import { unixMs } from '../../core/units.ts';
import type { CaptureReceiver, PackedCaptures, SendResult } from '../../service/intake/intake-ports.ts';
import { CurrentGeo } from '../place-data/read-current-geo.ts';

const ACCOUNT = 'sensor';
const UNTRUSTED_WAIT_MS = 300_000;

/**
 * Brings batches into the evidence store of this installation as the intake does: each once, in a thread of
 * its own, with derived captures. Without an image of network data, captures that depend on it are not
 * derived.
 */
export class LocalReceiver implements CaptureReceiver {
  readonly #thread: HistoryThread;
  readonly #source: string;
  readonly #geo: CurrentGeo;

  constructor(config: Config, source: string) {
    this.#geo = new CurrentGeo(config.dataDir);
    this.#thread = new HistoryThread(config, { geo: () => this.#geo.image, own: ownAddresses(config) });
    this.#source = source;
  }

  async send({ id, body }: PackedCaptures): Promise<SendResult> {
    const now = Date.now();
    try {
      await this.#geo.renew(now);
      const request = { source: this.#source, format: 'ndjson', at: unixMs(now), account: ACCOUNT, id } as const;
      const reply = await this.#thread.accept({ bytes: body, gzip: true }, request);
      switch (reply.status) {
        case 'taken': {
          const { accepted, refused, replayed = false } = reply.outcome;
          return {
            status: 'taken',
            replayed,
            accepted,
            refused: Object.values(refused).reduce((sum, { count }) => sum + count, 0),
          };
        }
        case 'over_budget':
          return { status: 'later', reason: reply.status, retryAfterMs: Math.max(0, reply.until - now) };
        case 'untrusted':
          return { status: 'later', reason: reply.status, retryAfterMs: UNTRUSTED_WAIT_MS };
        case 'busy':
          return { status: 'later', reason: reply.status };
        default:
          return { status: 'refused', reason: reply.status };
      }
    } catch (error) {
      return { status: 'later', reason: faultText(error) };
    }
  }

  async heartbeat(): Promise<string | undefined> {
    try {
      await this.#thread.heartbeat({ source: this.#source, seenAt: unixMs(Date.now()), clockOffsetMs: 0 });
      return undefined;
    } catch (error) {
      return faultText(error);
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

import { unixMs } from '../../core/units.ts';
import type { CapturePackage, CaptureReceiver, SendResult } from '../../service/capture-receiver.ts';
import { HistoryThread } from '../evidence/history-thread.ts';
import type { HistoryTarget } from '../evidence/open-history.ts';

/** Under which batches of local sensors are remembered, where others have their account. */
const ACCOUNT = 'sensor';

/** Brings batches into the evidence store of this installation, as the intake does: each once, on a thread of its own. */
export class LocalReceiver implements CaptureReceiver {
  readonly #thread: HistoryThread;
  readonly #source: string;

  constructor(target: HistoryTarget, source: string) {
    this.#thread = new HistoryThread(target);
    this.#source = source;
  }

  async send({ id, body }: CapturePackage): Promise<SendResult> {
    try {
      const reply = await this.#thread.accept(
        { bytes: body, gzip: true },
        { source: this.#source, format: 'ndjson', at: unixMs(Date.now()), account: ACCOUNT, id },
      );
      if (reply.status === 'busy') return { status: 'later', reason: reply.status };
      if (reply.status !== 'taken') return { status: 'refused', reason: reply.status };
      const { accepted, refused, replayed = false } = reply.outcome;
      return { status: 'taken', replayed, accepted, refused: Object.values(refused).reduce((sum, { count }) => sum + count, 0) };
    } catch (error) {
      return { status: 'later', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

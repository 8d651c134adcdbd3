import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { unixMs } from '../../core/units.ts';
import type { CaptureDelivery, CapturePackage, DeliveryResult } from '../../service/capture-delivery.ts';
import { HistoryThread } from '../evidence/history-thread.ts';
import type { HistoryTarget } from '../evidence/open-history.ts';

const unpack = promisify(gunzip);

/** Brings batches into the evidence store of this installation, as `pulse evidence import` does. A batch that came twice adds nothing: every row has its own time. */
export class LocalDelivery implements CaptureDelivery {
  readonly #thread: HistoryThread;
  readonly #source: string;

  constructor(target: HistoryTarget, source: string) {
    this.#thread = new HistoryThread(target);
    this.#source = source;
  }

  async send({ body }: CapturePackage): Promise<DeliveryResult> {
    const rows = await unpack(body).catch(() => undefined);
    if (rows === undefined) return { status: 'refused', reason: 'the batch is damaged' };
    try {
      const { accepted, refused } = await this.#thread.import(this.#source, rows, unixMs(Date.now()));
      return { status: 'taken', replayed: false, accepted, refused: Object.values(refused).reduce((sum, { count }) => sum + count, 0) };
    } catch (error) {
      return { status: 'later', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

import { join } from 'node:path';
import { type FolderLock, lockFolder } from '../adapters/system/folder-lock.ts';
import type { Config } from '../config.ts';
import { fault } from '../core/texts/said.ts';

export const ledgerFolder = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'ledger');

interface Waits {
  readonly stoppingMs: number;
  readonly hasPredecessor: boolean;
}

/**
 * Locks the ledger folder. Two services that count in one folder would each grant the whole allowance, and fold
 * logs that the other still writes. Over Redis they count together, and the logs hold only counts from its outages.
 */
export class LedgerLock {
  readonly #config: Pick<Config, 'dataDir' | 'redisUrl'>;
  readonly #waits: Waits;
  #lock: FolderLock | undefined;

  constructor(config: Pick<Config, 'dataDir' | 'redisUrl'>, waits: Waits) {
    this.#config = config;
    this.#waits = waits;
  }

  async take(): Promise<void> {
    const { dataDir, redisUrl } = this.#config;
    const isShared = redisUrl !== undefined;
    const waitMs = isShared && !this.#waits.hasPredecessor ? 0 : this.#waits.stoppingMs;
    this.#lock = await lockFolder(ledgerFolder({ dataDir }), waitMs);
    if (this.#lock === undefined && !isShared)
      throw fault('another pulse answers requests from {dataDir}; give each a folder of its own with PULSE_DATA_DIR', {
        dataDir,
      });
  }

  get isHeld(): boolean {
    return this.#lock !== undefined;
  }

  release(): void {
    this.#lock?.release();
  }
}

import type { RiskType } from '../../../contract/risk.ts';
import type { SensorProtocol } from '../traps/trap.ts';

export interface SensorEvent {
  readonly ip: string;
  readonly riskType: Extract<RiskType, 'honeypot_scan' | 'honeypot_credential'>;
  readonly protocol: SensorProtocol;
  readonly port: number;
  readonly actor?: string;
  readonly at: number;
  readonly isFirstOfConnection: boolean;
}

export interface FoldedCapture extends Omit<SensorEvent, 'at' | 'isFirstOfConnection'> {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

/**
 * A batch of the intake is below 100,000 rows and 8 MiB (docs/evidence-intake.md), and each row has some 200
 * bytes.
 */
const FOLD_ROWS_MAX = 20_000;

/**
 * Folds the events of one interval into one row for each address, risk type, protocol, port and actor, with
 * its first and last time.
 */
export class CaptureFold {
  #rows = new Map<string, { -readonly [Key in keyof FoldedCapture]: FoldedCapture[Key] }>();

  get rows(): number {
    return this.#rows.size;
  }

  /** @returns false if the event needs a new row and the maximum is reached */
  add({ at, isFirstOfConnection, ...event }: SensorEvent): boolean {
    const key = `${event.ip} ${event.riskType} ${event.protocol} ${event.port} ${event.actor ?? ''}`;
    const row = this.#rows.get(key);
    if (row === undefined) {
      if (this.#rows.size >= FOLD_ROWS_MAX) return false;
      this.#rows.set(key, { ...event, firstAt: at, lastAt: at, count: 1 });
      return true;
    }
    row.firstAt = Math.min(row.firstAt, at);
    row.lastAt = Math.max(row.lastAt, at);
    if (isFirstOfConnection) row.count += 1;
    return true;
  }

  take(): readonly FoldedCapture[] {
    const rows = [...this.#rows.values()];
    this.#rows = new Map();
    return rows;
  }
}

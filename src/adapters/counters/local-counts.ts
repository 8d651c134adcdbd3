import type { ChargeRequest, ChargeResult, QuotaId, Receipt } from '../../core/quota/quota.ts';
import type { UnixMs } from '../../core/units.ts';
import type { Ledger } from '../../service/ports.ts';

/** The knowledge of this process about a counter that all nodes share. */
export interface KnownUse {
  /** Units counted by this process, less those it gave back. */
  readonly own: number;
  /** Units used by all nodes together, less those given back, as far as this process knows. */
  readonly used: number;
  readonly refunded: number;
}

/** Local counters that remember the counts of all nodes, and continue alone while the shared server is away. */
export interface LocalCounts extends Ledger {
  /** Name of this process among the nodes, different for each run. */
  readonly node: string;
  charge(request: ChargeRequest): ChargeResult;
  /**
   * Returns the charge with the ids that are counted: new IPv6 clients count as their /48 while clients are
   * many.
   */
  counted(request: ChargeRequest): ChargeRequest;
  refund(receipt: Receipt, at: UnixMs, units?: number): void;
  /** Nothing is known about late clients, which share a slot. */
  knownUse(id: QuotaId, day: number): KnownUse;
  /** Merges the count of all nodes, and adds `own` units to those that this process counted. */
  learnUse(id: QuotaId, day: number, use: KnownUse): void;
  knownMinute(id: QuotaId, minute: number): number;
  learnMinute(id: QuotaId, minute: number, day: number, used: number): void;
}

import type { ChargeRequest, ChargeResult, QuotaId, Receipt } from '../../core/quota/quota.ts';
import type { UnixMs } from '../../core/units.ts';
import type { Ledger } from '../../service/ports.ts';

/** Local state of one counter that all nodes share. */
export interface KnownUse {
  /** Units that this process counted, less those it gave back. */
  readonly own: number;
  /** Units that all nodes together have used and given back, as far as this process knows. */
  readonly used: number;
  readonly refunded: number;
}

/** Counters of this process that remember counts of other nodes, and count by themselves while that is away. */
export interface LocalCounts extends Ledger {
  /** Name of this process among the nodes that share counters, for this run. */
  readonly node: string;
  charge(request: ChargeRequest): ChargeResult;
  /** Returns the charge under the ids that are counted: new IPv6 clients count as their /48 while clients are many. */
  counted(request: ChargeRequest): ChargeRequest;
  refund(receipt: Receipt, at: UnixMs, units?: number): void;
  /** Nothing of late clients, which share a slot. */
  knownUse(id: QuotaId, day: number): KnownUse;
  /** Takes in the count of other nodes, and `own` units more that this process counted. */
  learnUse(id: QuotaId, day: number, use: KnownUse): void;
  knownMinute(id: QuotaId, minute: number): number;
  learnMinute(id: QuotaId, minute: number, day: number, used: number): void;
}

import type { ChargeRequest, ChargeResult, QuotaId, Receipt } from '../../core/quota/quota.ts';
import type { UnixMs } from '../../core/units.ts';
import type { Ledger } from '../../service/ports.ts';

/**
 * A counter that all nodes share, as it stands on the server. The server counts in generations: a new one
 * begins when it may have lost data. `base` holds the units charged before this generation; it and `total`
 * include units given back. Generation 0 means that the server holds nothing.
 */
export interface SharedUse {
  readonly generation: number;
  readonly base: number;
  readonly total: number;
  readonly baseRefunded: number;
  readonly refunded: number;
}

export interface SharedAnswer extends SharedUse {
  /** This many units of this run of the node are in the total. */
  readonly delivered: number;
}

export interface KnownUse extends SharedAnswer {
  readonly own: number;
  /** Units that the node gave back while it counted alone, and those of them that have reached the server. */
  readonly ownRefunded: number;
  readonly deliveredRefunded: number;
}

/**
 * - `counted`: returns the charge with the ids that are counted: while clients are many, new IPv6 clients count as
 *   their /48.
 * - `knownUse`: nothing is known about late clients, which share a slot.
 */
export interface LocalCounts extends Ledger {
  readonly node: string;
  charge(request: ChargeRequest): ChargeResult;
  counted(request: ChargeRequest): ChargeRequest;
  refund(receipt: Receipt, at: UnixMs, units?: number): void;
  knownUse(id: QuotaId, day: number): KnownUse;
  learnUse(id: QuotaId, day: number, sent: KnownUse, answer: SharedAnswer, units: number): void;
  knownMinute(id: QuotaId, minute: number): number;
  learnMinute(id: QuotaId, minute: number, day: number, used: number): void;
}

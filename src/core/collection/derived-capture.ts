import type { RiskType } from '../../contract/risk.ts';
import type { Prefix } from '../ip/address.ts';
import type { UnixMs } from '../units.ts';

/** Id of the source whose captures are derived. No sender may use it. */
export const DERIVED_ID = 'derived';

/** A capture that follows from others by a rule of `DERIVATION_RULES`. */
export interface DerivedCapture {
  readonly prefix: Prefix;
  readonly riskType: RiskType;
  readonly at: UnixMs;
  /** '' = none */
  readonly pool: string;
  /** Ids of the own sources whose captures it rests on, sorted: when one of them is withdrawn, what rested on it alone goes with it. */
  readonly sources: readonly string[];
  /** Why, for operators: what was counted, and the version of the rules. */
  readonly reason: string;
}

/** Times of the derived captures that are known of a prefix and kind. */
export class DerivedTimes {
  readonly #times = new Map<string, UnixMs[]>();

  note(kind: string, at: UnixMs): void {
    const known = this.#times.get(kind);
    if (known === undefined) this.#times.set(kind, [at]);
    else known.push(at);
  }

  /** Whether one is known in the `withinMs` milliseconds that end with this moment. */
  isFresh(kind: string, at: UnixMs, withinMs: number): boolean {
    return this.#times.get(kind)?.some((known) => known <= at && known > at - withinMs) ?? false;
  }
}

/** Key of `DerivedTimes`. */
export const derivedKind = (riskType: RiskType, { family, w0, w1, w2, w3, bits }: Prefix): string => `${riskType} ${family} ${w0} ${w1} ${w2} ${w3} ${bits}`;

import type { RiskType } from '../../../contract/risk.ts';
import type { Prefix } from '../../ip/address.ts';
import type { UnixMs } from '../../units.ts';
import type { OwnCapture } from '../own-capture.ts';

/** Id of the source whose captures are derived. No sender may use it. */
export const DERIVED_ID = 'derived';

/** Captures of one own source, brought by one key, that a derived capture rests on: the first and the last of them. */
export interface RestingOn {
  readonly source: string;
  /** '' = none */
  readonly sender: string;
  readonly first: UnixMs;
  readonly last: UnixMs;
}

/** A capture that follows from others by a rule of `DERIVATION_RULES`. */
export interface DerivedCapture {
  readonly prefix: Prefix;
  readonly riskType: RiskType;
  readonly at: UnixMs;
  /** '' = none */
  readonly pool: string;
  /** The captures it rests on, by source and key, sorted: when all of them are taken back, it goes with them. */
  readonly restsOn: readonly RestingOn[];
  /** Why, for operators: the counts, and the version of the rules. */
  readonly reason: string;
}

/** Captures by source and key, sorted. @param captures in any order */
export function restingOn(captures: Iterable<SupportingCapture>): readonly RestingOn[] {
  const spans = new CaptureSpans();
  for (const capture of captures) spans.add(capture);
  return spans.list();
}

type SupportingCapture = Pick<OwnCapture, 'source' | 'sender' | 'at'>;

/** First and last capture of each source and key, as captures are added in any order. */
export class CaptureSpans {
  readonly #spans = new Map<string, RestingOn>();

  add({ source, sender, at }: SupportingCapture): void {
    const name = `${source} ${sender}`;
    const { first, last } = this.#spans.get(name) ?? { first: at, last: at };
    this.#spans.set(name, { source, sender, first: at < first ? at : first, last: at > last ? at : last });
  }

  /** Additions until now, sorted by source and key. */
  list(): readonly RestingOn[] {
    return [...this.#spans].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, span]) => span);
  }
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
export const derivedKind = (riskType: RiskType, { family, w0, w1, w2, w3, bits }: Prefix): string =>
  `${riskType} ${family} ${w0} ${w1} ${w2} ${w3} ${bits}`;

import type { RiskType } from '../../../contract/risk.ts';
import type { Prefix } from '../../ip/address.ts';
import type { UnixMs } from '../../units.ts';
import type { OwnCapture } from '../own-capture.ts';

/** No sender may use this source id. */
export const DERIVED_ID = 'derived';

/**
 * The first and last capture of one own source and one key that support a derived capture. `sender` and
 * `pool` are empty for none.
 */
export interface RestingOn {
  readonly source: string;
  readonly sender: string;
  readonly first: UnixMs;
  readonly last: UnixMs;
}

export interface DerivedCapture {
  readonly prefix: Prefix;
  readonly riskType: RiskType;
  readonly at: UnixMs;
  readonly pool: string;
  /** Sorted by source and key. The derived capture is deleted when all of them are withdrawn. */
  readonly restsOn: readonly RestingOn[];
  readonly reason: string;
}

export function restingOn(captures: Iterable<SupportingCapture>): readonly RestingOn[] {
  const spans = new CaptureSpans();
  for (const capture of captures) spans.add(capture);
  return spans.list();
}

type SupportingCapture = Pick<OwnCapture, 'source' | 'sender' | 'at'>;

export class CaptureSpans {
  readonly #spans = new Map<string, RestingOn>();

  add({ source, sender, at }: SupportingCapture): void {
    const name = `${source} ${sender}`;
    const { first, last } = this.#spans.get(name) ?? { first: at, last: at };
    this.#spans.set(name, { source, sender, first: at < first ? at : first, last: at > last ? at : last });
  }

  list(): readonly RestingOn[] {
    return [...this.#spans].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, span]) => span);
  }
}

export class DerivedTimes {
  readonly #times = new Map<string, UnixMs[]>();

  note(kind: string, at: UnixMs): void {
    const known = this.#times.get(kind);
    if (known === undefined) this.#times.set(kind, [at]);
    else known.push(at);
  }

  /** Returns whether a derived capture is known in the `withinMs` milliseconds that end at `at`. */
  isFresh(kind: string, at: UnixMs, withinMs: number): boolean {
    return this.#times.get(kind)?.some((known) => known <= at && known > at - withinMs) ?? false;
  }
}

export const derivedKind = (riskType: RiskType, { family, w0, w1, w2, w3, bits }: Prefix): string =>
  `${riskType} ${family} ${w0} ${w1} ${w2} ${w3} ${bits}`;

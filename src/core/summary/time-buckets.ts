import type { SummaryBucket, TrafficSummary } from '../../contract/traffic-summary.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../units.ts';

/** Lines without active evidence count by state, others by level. */
export const TIME_KINDS = ['none', 'stale', 'low', 'medium', 'high'] as const;
export type TimeKind = (typeof TIME_KINDS)[number];

const KINDS = TIME_KINDS.length;
/** Covers 170 days by the hour, or eleven years by the day. */
const BUCKETS_MAX = 4096;

/**
 * Counts lines by time and kind: by the hour (UTC) until there are too many hours, then by the day. Later
 * times count without one.
 */
export class TimeBuckets {
  #bucketMs = HOUR_MS;
  readonly #index = new Map<number, number>();
  #counts = new Float64Array(KINDS * 64);
  #lastKey = Number.NaN;
  #last = -1;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;
  #untimed = 0;

  add(at: UnixMs | undefined, kind: number, lines = 1): void {
    const offset = at === undefined || !Number.isFinite(at) ? -1 : this.#offsetOf(at);
    if (offset < 0) {
      this.#untimed += lines;
      return;
    }
    if (at! < this.#from) this.#from = at!;
    if (at! > this.#to) this.#to = at!;
    this.#counts[offset + kind]! += lines;
  }

  document(): TrafficSummary['time'] {
    if (this.#index.size === 0) return undefined;
    const keys = [...this.#index.keys()].sort((a, b) => a - b);
    return {
      from: new Date(this.#from).toISOString(),
      to: new Date(this.#to).toISOString(),
      bucket_ms: this.#bucketMs,
      buckets: keys.map((key) => this.#bucket(key)),
      untimed: this.#untimed,
    };
  }

  #bucket(key: number): SummaryBucket {
    const at = KINDS * this.#index.get(key)!;
    const lines = Object.fromEntries(TIME_KINDS.map((kind, i) => [kind, this.#counts[at + i]!])) as Record<
      TimeKind,
      number
    >;
    return { at: new Date(key * this.#bucketMs).toISOString(), ...lines };
  }

  #offsetOf(at: UnixMs): number {
    const key = Math.floor(at / this.#bucketMs);
    if (key === this.#lastKey) return this.#last;
    const known = this.#index.get(key);
    if (known === undefined && this.#index.size >= BUCKETS_MAX) {
      if (this.#bucketMs === DAY_MS) return -1;
      this.#coarsen();
      return this.#offsetOf(at);
    }
    this.#lastKey = key;
    this.#last = KINDS * (known ?? this.#open(key));
    return this.#last;
  }

  #open(key: number): number {
    const index = this.#index.size;
    this.#index.set(key, index);
    if (KINDS * (index + 1) > this.#counts.length) {
      const grown = new Float64Array(2 * this.#counts.length);
      grown.set(this.#counts);
      this.#counts = grown;
    }
    return index;
  }

  #coarsen(): void {
    const hours = [...this.#index];
    const counts = this.#counts;
    this.#bucketMs = DAY_MS;
    this.#index.clear();
    this.#counts = new Float64Array(KINDS * 64);
    this.#lastKey = Number.NaN;
    for (const [hour, index] of hours) {
      const at = this.#offsetOf(unixMs(hour * HOUR_MS));
      for (let kind = 0; kind < KINDS; kind++) this.#counts[at + kind]! += counts[KINDS * index + kind]!;
    }
  }
}

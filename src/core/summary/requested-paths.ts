import type { SummaryPath, SummaryPaths, SummaryStretch } from '../../contract/traffic-summary.ts';
import type { LogRequest } from '../logs/request-reader.ts';
import { MINUTE_MS, type UnixMs, upperMedian } from '../units.ts';
import { addValue, mostFrequent } from './request-acts.ts';

export interface RequestedPathsOptions {
  readonly pathsMax?: number;
  readonly pairsMax?: number;
}

const PATHS_MAX = 2048;
const PAIRS_MAX = 2 ** 18;
const STATUSES_SHOWN = 8;
const STRETCHES_MAX = 320;
/** Each length divides the next, so that short stretches add up to longer ones. */
const STRETCH_MINUTES = [1, 5, 15, 60, 360, 1440] as const;
const BUSIEST_SHARE = 0.9;
/** A neighbouring stretch joins it with at least this share of its average. */
const BUSY_SHARE = 0.1;

/**
 * - `weight`: decides which path is forgotten: its lines, less what every path has lost since it came.
 * - `missedMax`: the path may have had so many lines before it came.
 */
interface PathCounts {
  lines: number;
  weight: number;
  readonly missedMax: number;
  readonly statuses: Map<string, number>;
  addresses: Set<number> | undefined;
  readonly times: PathTimes;
}

/**
 * Counts the paths of a log's requests in bounded memory: by how many addresses, with which statuses, and
 * when.
 */
export class RequestedPaths {
  readonly #pathsMax: number;
  readonly #pairsMax: number;
  readonly #paths = new Map<string | undefined, PathCounts>();
  #pairs = 0;
  #lost = 0;
  #forgotten = 0;

  constructor({ pathsMax = PATHS_MAX, pairsMax = PAIRS_MAX }: RequestedPathsOptions = {}) {
    this.#pathsMax = pathsMax;
    this.#pairsMax = pairsMax;
  }

  /** @param address number of the address; undefined once addresses are no longer kept apart */
  note({ path, status }: LogRequest, at: UnixMs | undefined, address: number | undefined): void {
    const counts = this.#paths.get(path) ?? this.#open(path);
    counts.lines++;
    counts.weight++;
    if (status !== undefined) addValue(counts.statuses, status);
    if (at !== undefined) counts.times.add(at);
    this.#noteAddress(counts, address);
  }

  document(most: number): SummaryPaths | undefined {
    if (this.#paths.size === 0) return undefined;
    const ranked = [...this.#paths].sort(
      ([a, one], [b, other]) => other.lines - one.lines || ((a ?? '') < (b ?? '') ? -1 : 1),
    );
    const shown = ranked.slice(0, most);
    const values = ranked.length - shown.length;
    return {
      rows: shown.map(([path, counts]) => rowOf(path, counts)),
      ...(values > 0 && {
        others: { values, lines: ranked.slice(most).reduce((sum, [, { lines }]) => sum + lines, 0) },
      }),
      ...(this.#forgotten > 0 && { forgotten_lines: this.#forgotten }),
      error: Math.max(...shown.map(([, { missedMax }]) => missedMax)),
    };
  }

  #open(path: string | undefined): PathCounts {
    if (this.#paths.size >= this.#pathsMax) this.#forgetRarest();
    const counts: PathCounts = {
      lines: 0,
      weight: 0,
      missedMax: this.#lost,
      statuses: new Map(),
      addresses: new Set(),
      times: new PathTimes(),
    };
    this.#paths.set(path, counts);
    return counts;
  }

  #noteAddress(counts: PathCounts, address: number | undefined): void {
    const { addresses } = counts;
    if (addresses === undefined || (address !== undefined && addresses.has(address))) return;
    if (address === undefined || this.#pairs >= this.#pairsMax) {
      this.#pairs -= addresses.size;
      counts.addresses = undefined;
      return;
    }
    addresses.add(address);
    this.#pairs++;
  }

  /** Makes room as `AddressTable.forgetRarest` does; paths that stay keep their lines. */
  #forgetRarest(): void {
    const median = upperMedian(this.#paths.values().map(({ weight }) => weight));
    this.#lost += median;
    for (const [path, counts] of this.#paths) {
      counts.weight -= median;
      if (counts.weight > 0) continue;
      this.#forgotten += counts.lines;
      this.#pairs -= counts.addresses?.size ?? 0;
      this.#paths.delete(path);
    }
  }
}

const rowOf = (path: string | undefined, { lines, statuses, addresses, times }: PathCounts): SummaryPath => ({
  ...(path !== undefined && { value: path }),
  lines,
  ...(addresses && { addresses: addresses.size }),
  statuses: mostFrequent(statuses, STATUSES_SHOWN),
  ...times.document(),
});

class PathTimes {
  #length = 0;
  #stretches = new Map<number, number>();
  #lines = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  add(at: UnixMs): void {
    if (at < this.#first) this.#first = at;
    if (at > this.#last) this.#last = at;
    const key = Math.floor(at / this.#lengthMs);
    const known = this.#stretches.get(key);
    if (known === undefined && this.#stretches.size >= STRETCHES_MAX) {
      // Days beyond the longest stretches belong to no stretch, but the first and last line keep them.
      if (this.#length === STRETCH_MINUTES.length - 1) return;
      this.#lengthen();
      this.add(at);
      return;
    }
    this.#stretches.set(key, (known ?? 0) + 1);
    this.#lines++;
  }

  document(): Pick<SummaryPath, 'first' | 'last' | 'busiest'> {
    if (this.#stretches.size === 0) return {};
    return { first: rfc3339(this.#first), last: rfc3339(this.#last), busiest: this.#busiest() };
  }

  get #lengthMs(): number {
    return STRETCH_MINUTES[this.#length]! * MINUTE_MS;
  }

  #lengthen(): void {
    const ratio = STRETCH_MINUTES[this.#length + 1]! / STRETCH_MINUTES[this.#length]!;
    this.#length++;
    const longer = new Map<number, number>();
    for (const [key, lines] of this.#stretches) {
      const into = Math.floor(key / ratio);
      longer.set(into, (longer.get(into) ?? 0) + lines);
    }
    this.#stretches = longer;
  }

  #busiest(): SummaryStretch {
    const wanted = Math.ceil(BUSIEST_SHARE * this.#lines);
    const stretches = [...this.#stretches].sort(([a], [b]) => a - b);
    let [from, to] = [stretches[0]![0], stretches.at(-1)![0]];
    let held = 0;
    for (let left = 0, right = 0; right < stretches.length; right++) {
      held += stretches[right]![1];
      for (; held - stretches[left]![1] >= wanted; left++) held -= stretches[left]![1];
      if (held >= wanted && stretches[right]![0] - stretches[left]![0] < to - from)
        [from, to] = [stretches[left]![0], stretches[right]![0]];
    }
    const least = Math.max(1, (BUSY_SHARE * wanted) / (to - from + 1));
    const isBusy = (key: number): boolean => (this.#stretches.get(key) ?? 0) >= least;
    while (isBusy(from - 1)) from--;
    while (isBusy(to + 1)) to++;
    return { from: rfc3339(from * this.#lengthMs), to: rfc3339((to + 1) * this.#lengthMs) };
  }
}

const rfc3339 = (at: number): string => new Date(at).toISOString();

import type { PhoneDataVersion } from '../../contract/documents.ts';
import type { PhoneLibraryName } from '../../contract/phone.ts';
import type { PhoneAnswer, PhoneEntry } from '../../core/phone/entry.ts';
import { entryWeight } from '../../core/phone/profile.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';

/**
 * Times of the newest loads, oldest first, kept across full loads. Numbers shipped with a release do not
 * count.
 */
export interface LoadTimes {
  readonly full: readonly UnixMs[];
  readonly increments: readonly UnixMs[];
}

export const NO_LOADS: LoadTimes = { full: [], increments: [] };
/** Covers a month of daily loads, or half an hour of increments per minute. */
const LOADS_KEPT = 32;

export const withLoads = (times: LoadTimes, { full = [], increments = [] }: Partial<LoadTimes>): LoadTimes => ({
  full: [...times.full, ...full].slice(-LOADS_KEPT),
  increments: [...times.increments, ...increments].slice(-LOADS_KEPT),
});

export interface LibraryState {
  readonly library: PhoneLibraryName;
  readonly records: number;
  readonly dataVersion: string;
  readonly minuteVersion?: string;
  readonly lastFullAt: UnixMs;
  readonly lastIncrementAt?: UnixMs;
  readonly loads: LoadTimes;
}

export function versionsOf(states: readonly LibraryState[]): PhoneDataVersion {
  const out: Record<string, string> = {};
  for (const { library, dataVersion } of states) out[library] = dataVersion;
  for (const { library, minuteVersion } of states)
    if (minuteVersion !== undefined) out[`${library}_minute`] = minuteVersion;
  return out as unknown as PhoneDataVersion;
}

/**
 * Read side of the risk libraries, asked by E.164 digits without the plus. An implementation must not omit a
 * library from an answer (it throws LibraryUnavailable), mix two generations of a library, or put a number into a
 * log or an error.
 */
export interface PhoneLibraries {
  lookup(digits: readonly string[]): Promise<PhoneAnswer>;
  state(): Promise<readonly LibraryState[]>;
  close(): Promise<void>;
}

/**
 * A row of an import. With `merge` it is a dated appearance that joins the known ones: earliest first, latest
 * last, and one more day for a new date.
 */
export type PhoneChange =
  | { readonly digits: string; readonly entry: PhoneEntry; readonly merge?: true }
  | { readonly digits: string; readonly deleted: true };

export interface ImportStamp {
  readonly dataVersion: string;
  readonly at: UnixMs;
  /** The full load comes from the release's numbers, so it says nothing about how often data arrives. */
  readonly shipped?: true;
}

/**
 * - `unchanged`: appearances without news. An increment that has only these is not written.
 * - `records`: records after a full load. Increments do not count the library, which takes as long as a load at a
 *   hundred million records.
 */
export interface LibraryOutcome {
  readonly upserts: number;
  readonly deletions: number;
  readonly unchanged?: number;
  readonly records?: number;
}

/**
 * Write side of the risk libraries. Rows come in batches, so that a hundred million need little memory. A failed
 * import leaves the library unchanged. `apply`: upserts and deletions of an increment apply atomically; `replace`
 * instead leaves exactly its rows.
 */
export interface PhoneLibraryWriter {
  replace(
    library: PhoneLibraryName,
    batches: AsyncIterable<readonly PhoneChange[]>,
    stamp: ImportStamp,
  ): Promise<LibraryOutcome>;
  apply(
    library: PhoneLibraryName,
    batches: AsyncIterable<readonly PhoneChange[]>,
    stamp: ImportStamp,
  ): Promise<LibraryOutcome>;
  held(library: PhoneLibraryName): Promise<string | undefined>;
  close(): Promise<void>;
}

export class LibraryUnavailable extends Error {
  readonly library: PhoneLibraryName;

  constructor(library: PhoneLibraryName, reason: string, options?: ErrorOptions) {
    super(`phone library ${library}: ${reason}`, options);
    this.name = 'LibraryUnavailable';
    this.library = library;
  }
}

/**
 * Merges a dated appearance into the stored entry (PhoneChange.merge).
 * @returns `held` itself if there is nothing new
 */
export function mergeEntry(held: PhoneEntry | undefined, seen: PhoneEntry): PhoneEntry {
  if (held === undefined) return seen;
  const newer = seen.lastActive >= held.lastActive;
  const newDay = Math.floor(seen.lastActive / DAY_MS) > Math.floor(held.lastActive / DAY_MS);
  const firsts = [held.firstSeen, seen.firstSeen].filter((at) => at !== undefined);
  const heavier = entryWeight(seen) - entryWeight(held);
  const leading = heavier > 0 || (heavier === 0 && newer) ? seen : held;
  const primary = leading.tags[0];
  const others = new Set([...held.tags, ...seen.tags]);
  if (primary !== undefined) others.delete(primary);
  const card = seen.card ?? held.card;
  const joined: PhoneEntry = {
    ...(leading.risk === undefined ? {} : { risk: leading.risk }),
    tags: [...(primary === undefined ? [] : [primary]), ...[...others].sort((a, b) => a - b)],
    ...(firsts.length === 0 ? {} : { firstSeen: unixMs(Math.min(...firsts)) }),
    lastActive: newer ? seen.lastActive : held.lastActive,
    observedDays: (held.observedDays ?? 1) + (newDay ? 1 : 0),
    ...(card === undefined ? {} : { card }),
  };
  return saysNothingNew(joined, held) ? held : joined;
}

/** `observedDays` needs no comparison: it only grows together with `lastActive`. */
const saysNothingNew = (joined: PhoneEntry, held: PhoneEntry): boolean =>
  joined.risk === held.risk &&
  joined.firstSeen === held.firstSeen &&
  joined.lastActive === held.lastActive &&
  joined.card === held.card &&
  joined.tags.join() === held.tags.join();

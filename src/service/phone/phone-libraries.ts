import type { PhoneDataVersion } from '../../contract/documents.ts';
import type { PhoneLibraryName } from '../../contract/phone.ts';
import type { PhoneAnswer, PhoneEntry } from '../../core/phone/entry.ts';
import { entryWeight } from '../../core/phone/level.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';

/** When loads came, oldest first: the newest few, kept across full loads. Numbers of a release are not a load. */
export interface LoadTimes {
  readonly full: readonly UnixMs[];
  readonly increments: readonly UnixMs[];
}

export const NO_LOADS: LoadTimes = { full: [], increments: [] };
/** A month of daily loads, half an hour of minute increments. */
const LOADS_KEPT = 32;

/** The times with further ones behind them. */
export const withLoads = (times: LoadTimes, { full = [], increments = [] }: Partial<LoadTimes>): LoadTimes => ({
  full: [...times.full, ...full].slice(-LOADS_KEPT),
  increments: [...times.increments, ...increments].slice(-LOADS_KEPT),
});

/** Content of one library at this moment. */
export interface LibraryState {
  readonly library: PhoneLibraryName;
  readonly records: number;
  readonly dataVersion: string;
  /** Version of the last increment since the full load. */
  readonly minuteVersion?: string;
  readonly lastFullAt: UnixMs;
  readonly lastIncrementAt?: UnixMs;
  readonly loads: LoadTimes;
}

/** The versions that an answer states: of the full loads, then of the increments since. */
export function versionsOf(states: readonly LibraryState[]): PhoneDataVersion {
  const out: Record<string, string> = {};
  for (const { library, dataVersion } of states) out[library] = dataVersion;
  for (const { library, minuteVersion } of states)
    if (minuteVersion !== undefined) out[`${library}_minute`] = minuteVersion;
  return out as unknown as PhoneDataVersion;
}

/**
 * The read side of the risk libraries. Implementations must not: answer with one library left out (they throw LibraryUnavailable),
 * mix two generations of one library in an answer, or let a number into a log or an error.
 */
export interface PhoneLibraries {
  /** Asks both libraries for every number. @param digits E.164 without the plus */
  lookup(digits: readonly string[]): Promise<PhoneAnswer>;
  /** Both libraries, in the order of PHONE_LIBRARIES. */
  state(): Promise<readonly LibraryState[]>;
  close(): Promise<void>;
}

/** One row of an import. `merge`: a dated appearance, joined with the known ones: earliest first, latest last, one more day when the date is new. */
export type PhoneChange =
  | { readonly digits: string; readonly entry: PhoneEntry; readonly merge?: true }
  | { readonly digits: string; readonly deleted: true };

export interface ImportStamp {
  readonly dataVersion: string;
  readonly at: UnixMs;
  /** A full load of the release's numbers: not a load that says how often data comes. */
  readonly shipped?: true;
}

export interface LibraryOutcome {
  readonly upserts: number;
  readonly deletions: number;
  /** Appearances without news; an increment of nothing else is not written. */
  readonly unchanged?: number;
  /** Records in the library after a full load. An increment does not count the library: at a hundred million that would be a load of its own. */
  readonly records?: number;
}

/** The write side. Rows come in batches, so that a hundred million need no memory of their own. A failed import leaves the library as it was. */
export interface PhoneLibraryWriter {
  /** A full load: the library is exactly these rows afterwards. */
  replace(
    library: PhoneLibraryName,
    batches: AsyncIterable<readonly PhoneChange[]>,
    stamp: ImportStamp,
  ): Promise<LibraryOutcome>;
  /** An increment: upserts and deletions on top, all at once. */
  apply(
    library: PhoneLibraryName,
    batches: AsyncIterable<readonly PhoneChange[]>,
    stamp: ImportStamp,
  ): Promise<LibraryOutcome>;
  /** Version of the full load; undefined when none was ever made. */
  held(library: PhoneLibraryName): Promise<string | undefined>;
  close(): Promise<void>;
}

/** A library cannot be asked: 502 on the wire. */
export class LibraryUnavailable extends Error {
  readonly library: PhoneLibraryName;

  constructor(library: PhoneLibraryName, reason: string, options?: ErrorOptions) {
    super(`phone library ${library}: ${reason}`, options);
    this.name = 'LibraryUnavailable';
    this.library = library;
  }
}

/** Joins a dated appearance with the entry already held (PhoneChange.merge). @returns `held` itself when nothing is new */
export function mergeAppearance(held: PhoneEntry | undefined, seen: PhoneEntry): PhoneEntry {
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

/** Days observed grow with last_active alone. */
const saysNothingNew = (joined: PhoneEntry, held: PhoneEntry): boolean =>
  joined.risk === held.risk &&
  joined.firstSeen === held.firstSeen &&
  joined.lastActive === held.lastActive &&
  joined.card === held.card &&
  joined.tags.join() === held.tags.join();

import { dayStart } from '../../../core/evidence/fold-observations.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import { pruneDerivations } from '../derive/read-derivation-state.ts';
import { keyText } from '../prefix-key.ts';
import {
  type EventPosition,
  MEMORY_ROWS,
  type SqlRow,
  type SqlValue,
  type Steps,
  type Transaction,
  UNITE_MEMORY,
  wait,
} from '../sql.ts';

/**
 * An answer needs detail of these days before its moment: the longest window (30 days), and the 14 observed
 * days before the oldest capture inside it.
 */
const LOOK_BACK_DAYS = 44;

/**
 * The rows of a batch stay in full this long after it was accepted, regardless of their age, so that an
 * imported past is not compacted the next day.
 */
const GRACE_DAYS = 7;

const graceStart = (now: UnixMs): UnixMs => unixMs(now - GRACE_DAYS * DAY_MS);

/**
 * Detail before this moment may be compacted. It covers the days that may be asked and those an answer needs;
 * a recent import of older runs moves it back.
 */
export function horizonOf(now: UnixMs, historyDays: number, oldest: number | undefined): UnixMs {
  const usual = dayStart(now) - (historyDays + LOOK_BACK_DAYS) * DAY_MS;
  return unixMs(Math.min(usual, oldest ?? usual));
}

const historyStart = (horizon: UnixMs): UnixMs => unixMs(horizon + LOOK_BACK_DAYS * DAY_MS);

/** A slice is small, so that other writers wait tens of milliseconds and not minutes. */
const SLICE_ROWS = 20_000;

interface CompactionSlice {
  readonly spells: number;
  readonly events: number;
  readonly done: boolean;
}

/**
 * Moves rows before the horizon into memory, one slice per transaction. After each slice the store answers as
 * before.
 */
export class Compactor {
  readonly #now: UnixMs;
  readonly #horizon: UnixMs;
  readonly #sliceRows: number;
  readonly #tracks: number[];
  #part: 'spells' | 'events' | 'derivations' | 'runs' = 'spells';
  #after: EventPosition;

  private constructor(now: UnixMs, horizon: UnixMs, tracks: number[], sliceRows: number) {
    this.#now = now;
    this.#horizon = horizon;
    this.#tracks = tracks;
    this.#sliceRows = sliceRows;
  }

  static *open(tx: Transaction, now: UnixMs, historyDays: number, sliceRows = SLICE_ROWS): Steps<Compactor> {
    const [row] = yield* wait(
      tx.query<[number | null]>('select min(at) from evidence_batches where accepted_at > $1', [graceStart(now)]),
    );
    const horizon = horizonOf(now, historyDays, row![0] ?? undefined);
    return new Compactor(now, horizon, [...tx.catalogue.tracks.keys()], sliceRows);
  }

  *slice(tx: Transaction): Steps<CompactionSlice> {
    let [spells, events] = [0, 0];
    if (this.#part === 'spells') {
      while (spells < this.#sliceRows && this.#tracks.length > 0) spells += yield* this.#spells(tx);
      if (this.#tracks.length === 0) this.#part = 'events';
    } else if (this.#part === 'events') {
      const { moved, after } = yield* wait(tx.moveEvents(this.#after, this.#horizon, this.#sliceRows));
      events = moved;
      this.#after = after;
      if (after === undefined) this.#part = 'derivations';
    } else if (this.#part === 'derivations') {
      if (!(yield* pruneDerivations(tx, this.#now, this.#horizon, this.#sliceRows))) this.#part = 'runs';
    } else {
      yield* this.#runs(tx);
      return { spells, events, done: true };
    }
    if (spells + events > 0) yield* this.#noteAnswerable(tx);
    return { spells, events, done: false };
  }

  /** Thousands of intervals may have ended with one run. @returns how many were moved */
  *#spells(tx: Transaction): Steps<number> {
    const id = this.#tracks[0]!;
    const old = yield* wait(
      tx.query<[SqlValue, UnixMs, UnixMs]>(
        'select prefix, first_at, last_at from evidence_spells where track = $1 and last_at < $2 order by last_at limit $3',
        [id, this.#horizon, this.#sliceRows],
      ),
    );
    if (old.length < this.#sliceRows) this.#tracks.shift();
    if (tx.catalogue.tracks.get(id)?.presence === false)
      yield* wait(tx.insert(MEMORY_ROWS, united(tx, id, old), UNITE_MEMORY));
    const keys = old.map(([prefix, firstAt]) => [prefix, id, firstAt]);
    yield* wait(tx.withRows('delete from evidence_spells', ['prefix', 'track', 'first_at'], keys));
    return old.length;
  }

  *#runs(tx: Transaction): Steps<void> {
    for (const { id, runs } of tx.catalogue.sources.values()) {
      const keep = runs.before(this.#horizon);
      if (keep !== undefined)
        yield* wait(tx.query('delete from evidence_runs where source = $1 and at < $2', [id, keep]));
    }
    // Deletes presence series of pools that a list no longer names. Series of captures stay: each keeps a
    // first and last capture for ever. The newest series stays as well: SQLite would reuse its number while
    // other connections remember its meaning.
    yield* wait(
      tx.query(
        `delete from evidence_tracks where presence and id < (select max(id) from evidence_tracks)
         and not exists (select 1 from evidence_spells s where s.track = evidence_tracks.id and s.last_at is null)
         and not exists (select 1 from evidence_spells s where s.track = evidence_tracks.id and s.last_at is not null)`,
      ),
    );
  }

  *#noteAnswerable(tx: Transaction): Steps<void> {
    yield* wait(
      tx.query(
        `insert into evidence_facts (name, value) values ('answerable', $1)
         on conflict (name) do update set value = excluded.value where excluded.value > evidence_facts.value`,
        [historyStart(this.#horizon)],
      ),
    );
  }
}

/**
 * Unites intervals to one row per prefix, since a statement may not write a row twice. @param spells in order
 * of their ends
 */
function united(tx: Transaction, track: number, spells: readonly (readonly [SqlValue, UnixMs, UnixMs])[]): SqlRow[] {
  const rows = new Map<string | number, [SqlValue, number, UnixMs, UnixMs]>();
  for (const [prefix, firstAt, lastAt] of spells) {
    const name = keyText(tx.keyOf(prefix));
    const row = rows.get(name);
    if (row === undefined) rows.set(name, [prefix, track, firstAt, lastAt]);
    else row[3] = lastAt;
  }
  return [...rows.values()];
}

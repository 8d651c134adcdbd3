import type { UnixMs } from '../../../core/units.ts';
import type { Catalogue } from '../catalogue.ts';
import { answerableFrom, graceBegins, horizonOf } from '../horizon.ts';
import { pruneDerivations } from './derivation-tables.ts';
import { numbers, type Statements } from './statements.ts';

/** Rows a slice moves or looks at, so that other writers wait tens of milliseconds and not minutes. */
const SLICE_ROWS = 20_000;

/** What one slice did; `done` when there is nothing left. */
export interface CompactionSlice {
  readonly spells: number;
  readonly events: number;
  readonly done: boolean;
}

type Position =
  | { readonly part: 'spells'; readonly track: number }
  | { readonly part: 'events'; readonly after: number | Uint8Array }
  | { readonly part: 'derivations' }
  | { readonly part: 'runs' }
  | { readonly part: 'done' };

const REMEMBER =
  'on conflict (prefix, track) do update set first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)';

/**
 * Moves what lies before the horizon into `memory`, slice by slice; each slice runs inside a write transaction of its own and leaves a store that answers
 * as before. A presence interval that reaches over the horizon stays whole, and of each source the newest run before the horizon stays, so that such a
 * presence interval still
 * knows its newest capture.
 */
export class Compactor {
  readonly #statements: Statements;
  readonly #now: UnixMs;
  readonly #horizon: UnixMs;
  readonly #sliceRows: number;
  #at: Position = { part: 'spells', track: -1 };

  /** Call inside a transaction. @param historyDays days of past that must stay answerable */
  constructor(statements: Statements, now: UnixMs, historyDays: number, sliceRows = SLICE_ROWS) {
    this.#statements = statements;
    this.#now = now;
    const oldest = numbers(
      statements.get('select min(at) from batches where accepted_at > ?').get(graceBegins(now)),
    )[0];
    this.#horizon = horizonOf(now, historyDays, oldest);
    this.#sliceRows = sliceRows;
  }

  /** Does the next piece. Call inside a write transaction. @param catalogue of that transaction */
  slice(catalogue: Catalogue): CompactionSlice {
    const at = this.#at;
    const moved = { spells: 0, events: 0 };
    if (at.part === 'spells') moved.spells = this.#spells(catalogue, at.track);
    else if (at.part === 'events') moved.events = this.#events(at.after);
    else if (at.part === 'derivations') this.#derivations();
    else this.#runs(catalogue);
    if (moved.spells + moved.events > 0) this.#noteAnswerable();
    return { ...moved, done: this.#at.part === 'done' };
  }

  /** Presence intervals of the first series with any that ended before the horizon. @returns presence intervals moved */
  #spells(catalogue: Catalogue, after: number): number {
    const id = [...catalogue.tracks.keys()]
      .sort((a, b) => a - b)
      .find((track) => track >= after && this.#hasEnded(track));
    if (id === undefined) {
      this.#at = { part: 'events', after: -1 };
      return 0;
    }
    this.#at = { part: 'spells', track: id };
    const cut = this.#statements.get(
      'select last_at from spells where track = ? and last_at < ? order by last_at limit 1 offset ?',
    );
    const last = numbers(cut.get(id, this.#horizon, this.#sliceRows - 1))[0];
    const until = last === undefined ? this.#horizon : last + 1;
    if (catalogue.tracks.get(id)?.presence === false) {
      this.#statements
        .get(
          `insert into memory (prefix, track, first_at, last_at) select prefix, track, min(first_at), max(last_at) from spells
           where track = ? and last_at < ? group by prefix, track ${REMEMBER}`,
        )
        .run(id, until);
    }
    return Number(this.#statements.get('delete from spells where track = ? and last_at < ?').run(id, until).changes);
  }

  #hasEnded(track: number): boolean {
    return (
      numbers(
        this.#statements.get('select 1 from spells where track = ? and last_at < ? limit 1').get(track, this.#horizon),
      ).length > 0
    );
  }

  /** Old events of the prefixes behind the next rows of the table, which is in prefix order. @returns events moved */
  #events(after: number | Uint8Array): number {
    const next = this.#statements.get('select prefix from events where prefix > ? order by prefix limit 1 offset ?');
    const [last] = (next.get(after, this.#sliceRows - 1) as unknown as [number | Uint8Array] | undefined) ?? [];
    const range = last === undefined ? 'prefix > ?' : 'prefix > ? and prefix <= ?';
    const bounds = last === undefined ? [after] : [after, last];
    this.#statements
      .get(
        `insert into memory (prefix, track, first_at, last_at) select prefix, track, min(at), max(at) from events
         where ${range} and at < ? group by prefix, track ${REMEMBER}`,
      )
      .run(...bounds, this.#horizon);
    const { changes } = this.#statements
      .get(`delete from events where ${range} and at < ?`)
      .run(...bounds, this.#horizon);
    this.#at = last === undefined ? { part: 'derivations' } : { part: 'events', after: last };
    return Number(changes);
  }

  #derivations(): void {
    if (!pruneDerivations(this.#statements, this.#now, this.#horizon, this.#sliceRows)) this.#at = { part: 'runs' };
  }

  #runs(catalogue: Catalogue): void {
    for (const source of catalogue.sources.values()) {
      const keep = source.runs.before(this.#horizon);
      if (keep !== undefined) this.#statements.get('delete from runs where source = ? and at < ?').run(source.id, keep);
    }
    this.#forgetSeries();
    this.#at = { part: 'done' };
  }

  /**
   * Bookkeeping of pools that a list no longer names. Series of captures stay: each has a first and last capture for ever. The newest series stays as well,
   * since its number would be given again while other connections remember what it stood for.
   */
  #forgetSeries(): void {
    this.#statements
      .get(
        `delete from tracks where presence = 1 and id < (select max(id) from tracks)
         and not exists (select 1 from spells where track = tracks.id and last_at is null)
         and not exists (select 1 from spells where track = tracks.id and last_at is not null)`,
      )
      .run();
  }

  #noteAnswerable(): void {
    this.#statements
      .get(
        `insert into facts (name, value) values ('answerable', ?) on conflict (name) do update set value = max(value, excluded.value)`,
      )
      .run(answerableFrom(this.#horizon));
  }
}

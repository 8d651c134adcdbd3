import type { ClientBase } from 'pg';
import type { UnixMs } from '../../../core/units.ts';
import type { Catalogue } from '../catalogue.ts';
import { answerableFrom, graceBegins, horizonOf } from '../horizon.ts';
import { pruneDerivations } from './derivation-tables.ts';

/** Rows a slice moves, so that other writers wait a second and not minutes. */
const SLICE_ROWS = 50_000;

const REMEMBER = `on conflict (prefix, track) do update
  set first_at = least(evidence_memory.first_at, excluded.first_at), last_at = greatest(evidence_memory.last_at, excluded.last_at)`;

const SPELLS = `
with old as materialized (select prefix, track, first_at from evidence_spells where track = $1 and last_at < $2 order by last_at limit $3),
gone as (
  delete from evidence_spells s using old where s.prefix = old.prefix and s.track = old.track and s.first_at = old.first_at
  returning s.prefix, s.track, s.first_at, s.last_at
), kept as (
  insert into evidence_memory (prefix, track, first_at, last_at)
  select g.prefix, g.track, min(g.first_at), max(g.last_at) from gone g join evidence_tracks t on t.id = g.track where not t.presence group by g.prefix, g.track
  ${REMEMBER}
) select count(*) as n from gone`;

const EVENTS = `
with old as materialized (select prefix, track, at from evidence_events where at < $1 limit $2),
gone as (
  delete from evidence_events e using old where e.prefix = old.prefix and e.track = old.track and e.at = old.at returning e.prefix, e.track, e.at
), kept as (
  insert into evidence_memory (prefix, track, first_at, last_at) select prefix, track, min(at), max(at) from gone group by prefix, track
  ${REMEMBER}
) select count(*) as n from gone`;

/** Bookkeeping of pools that a list no longer names. Series of captures stay: each has a first and last capture for ever. */
const FORGET_SERIES = `delete from evidence_tracks t where t.presence
  and not exists (select 1 from evidence_spells s where s.track = t.id and s.last_at is null)
  and not exists (select 1 from evidence_spells s where s.track = t.id and s.last_at is not null)`;

export interface CompactionSlice {
  readonly spells: number;
  readonly events: number;
  readonly done: boolean;
}

/**
 * Moves what lies before the horizon into `evidence_memory`, slice by slice; each slice inside a write transaction of its own. A presence interval that
 * reaches over
 * the horizon stays whole, and of each source the newest run before the horizon stays, so that such a presence interval still knows its newest capture.
 */
export class Compactor {
  readonly #now: UnixMs;
  readonly #horizon: UnixMs;
  readonly #sliceRows: number;
  #tracks: number[];
  #part: 'spells' | 'events' | 'runs' = 'spells';

  private constructor(now: UnixMs, horizon: UnixMs, tracks: number[], sliceRows: number) {
    this.#now = now;
    this.#horizon = horizon;
    this.#tracks = tracks;
    this.#sliceRows = sliceRows;
  }

  static async open(
    client: ClientBase,
    catalogue: Catalogue,
    now: UnixMs,
    historyDays: number,
    sliceRows = SLICE_ROWS,
  ): Promise<Compactor> {
    const { rows } = await client.query('select min(at) as oldest from evidence_batches where accepted_at > $1', [
      graceBegins(now),
    ]);
    return new Compactor(
      now,
      horizonOf(now, historyDays, rows[0]?.oldest ?? undefined),
      [...catalogue.tracks.keys()],
      sliceRows,
    );
  }

  /** Does the next piece, inside a write transaction. */
  async slice(client: ClientBase, catalogue: Catalogue): Promise<CompactionSlice> {
    const count = async (sql: string, values: unknown[]): Promise<number> =>
      Number((await client.query(sql, values)).rows[0].n);
    let [spells, events] = [0, 0];
    if (this.#part === 'spells') {
      while (spells < this.#sliceRows && this.#tracks.length > 0) {
        const moved = await count(SPELLS, [this.#tracks[0], this.#horizon, this.#sliceRows - spells]);
        spells += moved;
        if (spells < this.#sliceRows) this.#tracks.shift();
      }
      if (this.#tracks.length === 0) this.#part = 'events';
    } else if (this.#part === 'events') {
      events = await count(EVENTS, [this.#horizon, this.#sliceRows]);
      if (events < this.#sliceRows) this.#part = 'runs';
    } else {
      for (const source of catalogue.sources.values()) {
        const keep = source.runs.before(this.#horizon);
        if (keep !== undefined)
          await client.query('delete from evidence_runs where source = $1 and at < $2', [source.id, keep]);
      }
      await client.query(FORGET_SERIES);
      await pruneDerivations(client, this.#now, this.#horizon);
      return { spells, events, done: true };
    }
    if (spells + events > 0) await this.#noteAnswerable(client);
    return { spells, events, done: false };
  }

  async #noteAnswerable(client: ClientBase): Promise<void> {
    await client.query(
      `insert into evidence_facts (name, value) values ('answerable', $1)
       on conflict (name) do update set value = greatest(evidence_facts.value, excluded.value)`,
      [answerableFrom(this.#horizon)],
    );
  }
}

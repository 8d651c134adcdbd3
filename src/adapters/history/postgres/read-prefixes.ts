import type { Observation } from '../../../core/evidence/capture.ts';
import { capturesOfSpells, type Spell } from '../../../core/evidence/captures-of-source.ts';
import { type Captures, uniteCaptures, uniteDays } from '../../../core/evidence/unite-captures.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import type { LiveRow } from '../../../service/ports.ts';
import type { SourceEntry, Track } from '../sqlite/catalogue.ts';
import { liveRowsOf } from '../sqlite/read-prefix.ts';
import type { Catalogue } from './catalogue.ts';
import { bitsOfHex, type PrefixHex, prefixOfHex } from './prefix-hex.ts';

export const SPELL = 0;
export const EVENT = 1;
export const MEMORY = 2;
/** A row with the newest batch of the state the others are from: its mark in the second column, its number in the fourth. */
export const HEAD = 3;

/** Kind, prefix, track, time (first_at of a spell or memory), last_at. */
export type EvidenceRecord = readonly [kind: number, prefix: PrefixHex, track: number, at: number, lastAt: number | null];

/** Newest event by an instant of each of the newest 14 days with any, by steps along the index: an address with a hundred thousand events costs no more than 14. */
const eventsOfPrefix = (at: string): string => `
  with recursive seen(track) as (
    (select e.track from evidence_events e where e.prefix = p.prefix order by e.track limit 1)
    union all
    select (select e.track from evidence_events e where e.prefix = p.prefix and e.track > seen.track order by e.track limit 1) from seen where seen.track is not null
  ), newest(track, at, n) as (
    select seen.track, (select e.at from evidence_events e where e.prefix = p.prefix and e.track = seen.track and e.at <= ${at} order by e.at desc limit 1), 1
    from seen where seen.track is not null
    union all
    select w.track, (select e.at from evidence_events e where e.prefix = p.prefix and e.track = w.track and e.at < w.at - w.at % 86400000 order by e.at desc limit 1), w.n + 1
    from newest w where w.at is not null and w.n < 14
  ) select track, at from newest where at is not null`;

/**
 * Everything held of the prefixes $1 as of an instant, and the batch number of the state that was read, in one statement and so of one state.
 * `offset 0` keeps each prefix a look-up of its own in its own partition, whatever the planner thinks of joining whole tables.
 */
const recordsOfPrefixes = (last: string, events: string): string => `
select 0, encode(p.prefix, 'hex'), s.track, s.first_at, s.last_at
from unnest($1::bytea[]) p(prefix) join lateral (select * from evidence_spells s where s.prefix = p.prefix and s.first_at <= ${last} offset 0) s on true
union all
select 1, encode(p.prefix, 'hex'), e.track, e.at, null from unnest($1::bytea[]) p(prefix) join lateral (${events}) e on true
union all
select 2, encode(p.prefix, 'hex'), m.track, m.first_at, m.last_at
from unnest($1::bytea[]) p(prefix) join lateral (select * from evidence_memory m where m.prefix = p.prefix and m.first_at <= ${last} offset 0) m on true
union all
select 3, (select mark::text from evidence_batches order by sequence desc limit 1), null, (select coalesce(max(sequence), 0) from evidence_batches), null`;

/** As of the instant $2. */
export const RECORDS_AT = { name: 'evidence-at', text: recordsOfPrefixes('$2', eventsOfPrefix('$2')) };

/** As of each of the instants $2, as one set of records: those up to an instant say what was known then (`observationsOf`). */
export const RECORDS_AT_EACH = {
  name: 'evidence-at-each',
  text: recordsOfPrefixes(
    '(select max(u.at) from unnest($2::bigint[]) u(at))',
    `select distinct e.track, e.at from unnest($2::bigint[]) i(at) join lateral (${eventsOfPrefix('i.at')}) e on true`,
  ),
};

/** What several records of one prefix say, track by track. */
export class PrefixRecords {
  readonly #spells = new Map<number, Spell[]>();
  readonly #open = new Map<number, UnixMs>();
  readonly #over = new Map<number, Captures | undefined>();

  clear(): void {
    this.#spells.clear();
    this.#open.clear();
    this.#over.clear();
  }

  /** @param openApart open spells are kept apart, for live rows. Spells of one track must come in ascending order. */
  take(kind: number, track: number, at: number, lastAt: number | null, until: number, openApart: boolean): void {
    if (kind === SPELL) {
      if (lastAt === null && openApart) {
        this.#open.set(track, unixMs(at));
        return;
      }
      const spell = { firstAt: unixMs(at), lastAt: lastAt === null ? undefined : unixMs(lastAt) };
      const held = this.#spells.get(track);
      if (held === undefined) this.#spells.set(track, [spell]);
      else held.push(spell);
    } else if (kind === EVENT) this.#event(track, unixMs(at));
    else this.#over.set(track, uniteCaptures(this.#over.get(track), { capturedAt: unixMs(lastAt! <= until ? lastAt! : at), days: 1 }));
  }

  /** Events may come in any order. Most are of a track seen before, so no object is made for one that adds nothing. */
  #event(track: number, at: UnixMs): void {
    const held = this.#over.get(track);
    if (held !== undefined && at <= held.capturedAt) {
      const days = uniteDays(held.capturedAt, held.days, at, 1);
      if (days !== held.days) this.#over.set(track, { capturedAt: held.capturedAt, days });
    } else this.#over.set(track, uniteCaptures(held, { capturedAt: at, days: 1 }));
  }

  /** What is over (or all, when open spells were not kept apart), by track. */
  #sightings(catalogue: Catalogue, until: number): Map<number, Captures | undefined> {
    for (const [id, spells] of this.#spells) {
      const track = catalogue.tracks.get(id)!;
      if (!track.presence) this.#over.set(id, uniteCaptures(this.#over.get(id), capturesOfSpells(spells, track.source.runs, until)));
    }
    return this.#over;
  }

  observations(catalogue: Catalogue, prefixBits: number, until: number): Observation[] {
    const rows: Observation[] = [];
    for (const [id, sighting] of this.#sightings(catalogue, until)) {
      if (sighting === undefined) continue;
      const { source, riskType, pool } = catalogue.tracks.get(id)!;
      const { capturedAt, days } = sighting;
      const row = { riskType, family: source.family, capturedAt, days, prefixBits, pools: pool === '' ? [] : [pool] };
      rows.push(source.sharedBy === undefined ? row : { ...row, sharedBy: source.sharedBy });
    }
    return rows;
  }

  /** @param only rows of one source; undefined: of all */
  liveRows(catalogue: Catalogue, prefix: PrefixHex, only?: SourceEntry): LiveRow[] {
    const over = this.#sightings(catalogue, Number.MAX_SAFE_INTEGER);
    const at = prefixOfHex(prefix);
    const rows: LiveRow[] = [];
    const add = (track: Track): void => {
      if (!track.presence && (only === undefined || track.source.id === only.id))
        rows.push(...liveRowsOf(at, track, over.get(track.id), this.#open.get(track.id)));
    };
    for (const id of over.keys()) add(catalogue.tracks.get(id)!);
    for (const id of this.#open.keys()) if (!over.has(id)) add(catalogue.tracks.get(id)!);
    return rows;
  }
}

/**
 * Folds nothing yet: one row for each prefix and track with a capture by `until`.
 * @param records in ascending order of time; those after `until` are left out
 */
export function observationsOf(records: readonly EvidenceRecord[], catalogue: Catalogue, until: number): Observation[] {
  const byPrefix = new Map<PrefixHex, PrefixRecords>();
  for (const [kind, prefix, track, at, lastAt] of records) {
    if (at > until) break;
    let held = byPrefix.get(prefix);
    if (held === undefined) {
      held = new PrefixRecords();
      byPrefix.set(prefix, held);
    }
    held.take(kind, track, at, lastAt, until, false);
  }
  return [...byPrefix].flatMap(([prefix, held]) => held.observations(catalogue, bitsOfHex(prefix), until));
}

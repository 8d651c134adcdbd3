import type { Observation } from '../../../core/evidence/capture.ts';
import { capturesOfEvents, capturesOfSpells, type Spell } from '../../../core/evidence/captures-of-source.ts';
import { type Captures, uniteCaptures } from '../../../core/evidence/unite-captures.ts';
import type { Prefix } from '../../../core/ip/address.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import type { LiveRow } from '../../../service/ports.ts';
import { type PrefixKey, prefixOfKey } from '../prefix-key.ts';
import type { Catalogue, SourceEntry, Track } from './catalogue.ts';
import { numbers, type Statements } from './statements.ts';

/**
 * What the store holds of exactly one prefix as of `at`: one row per track with a capture by then. Inside a read transaction, after `catalogue.refresh()`.
 * @param at Infinity for everything accepted so far
 */
export function readPrefix(statements: Statements, catalogue: Catalogue, prefix: PrefixKey, bits: number, at: number): Observation[] {
  const sightings = new Map<number, Captures | undefined>();
  const until = Math.min(at, Number.MAX_SAFE_INTEGER);
  readSpells(statements, catalogue, prefix, until, sightings);
  readEvents(statements, prefix, until, sightings);
  readMemory(statements, prefix, until, sightings);
  const rows: Observation[] = [];
  for (const [track, sighting] of sightings) if (sighting !== undefined) rows.push(observationOf(catalogue.tracks.get(track)!, sighting, bits));
  return rows;
}

/** One track's sighting as an observation row, for folding. */
function observationOf(track: Track, sighting: Captures, prefixBits: number): Observation {
  const { source, riskType, pool } = track;
  const row = { riskType, family: source.family, capturedAt: sighting.capturedAt, days: sighting.days, prefixBits, pools: pool === '' ? NO_POOLS : [pool] };
  return source.sharedBy === undefined ? row : { ...row, sharedBy: source.sharedBy };
}

const NO_POOLS: readonly string[] = [];

/** What one source says of exactly one prefix now. Inside a read transaction, after `catalogue.refresh()`. */
export function readLive(statements: Statements, catalogue: Catalogue, key: PrefixKey, source: SourceEntry): LiveRow[] {
  const closed = new Map<number, Captures | undefined>();
  const open = new Map<number, UnixMs>();
  const until = Number.MAX_SAFE_INTEGER;
  readSpells(statements, catalogue, key, until, closed, open);
  readEvents(statements, key, until, closed);
  readMemory(statements, key, until, closed);
  const prefix = prefixOfKey(key);
  const rows: LiveRow[] = [];
  for (const track of catalogue.tracksOf(source, false)) rows.push(...liveRowsOf(prefix, track, closed.get(track.id), open.get(track.id)));
  return rows;
}

/** Rows of one track: what is over, and the open spell beside it. */
export function liveRowsOf(prefix: Prefix, track: Track, over: Captures | undefined, openSince: UnixMs | undefined): LiveRow[] {
  const unit = { prefix, source: track.source.name, riskType: track.riskType, pool: track.pool };
  const rows: LiveRow[] = [];
  if (over !== undefined) rows.push({ ...unit, following: false, ...over });
  if (openSince !== undefined) rows.push({ ...unit, following: true, capturedAt: openSince, days: 0 });
  return rows;
}

type Sightings = Map<number, Captures | undefined>;

/** @param open takes the open spells apart; without it they count like the others */
function readSpells(statements: Statements, catalogue: Catalogue, prefix: PrefixKey, at: number, into: Sightings, open?: Map<number, UnixMs>): void {
  const found = statements.get('select track, first_at, last_at from spells where prefix = ? and first_at <= ?').all(prefix, at) as unknown as [
    number,
    number,
    number | null,
  ][];
  for (let start = 0; start < found.length; ) {
    const id = found[start]![0];
    const spells: Spell[] = [];
    let end = start;
    for (; end < found.length && found[end]![0] === id; end++) {
      const [, firstAt, lastAt] = found[end]!;
      if (lastAt === null && open !== undefined) open.set(id, unixMs(firstAt));
      else spells.push({ firstAt: unixMs(firstAt), lastAt: lastAt === null ? undefined : unixMs(lastAt) });
    }
    const track = catalogue.tracks.get(id)!;
    if (!track.presence) into.set(id, uniteCaptures(into.get(id), capturesOfSpells(spells, track.source.runs, at)));
    start = end;
  }
}

function readEvents(statements: Statements, prefix: PrefixKey, at: number, into: Sightings): void {
  const next = statements.get('select track from events where prefix = ? and track > ? order by track limit 1');
  const newest = statements.get('select at from events where prefix = ? and track = ? and at <= ? order by at desc limit 1');
  for (let track = numbers(next.get(prefix, -1))[0]; track !== undefined; track = numbers(next.get(prefix, track))[0]) {
    const id = track;
    const newestUntil = (time: number): UnixMs | undefined => numbers(newest.get(prefix, id, time))[0] as UnixMs | undefined;
    into.set(id, uniteCaptures(into.get(id), capturesOfEvents(newestUntil, at)));
  }
}

function readMemory(statements: Statements, prefix: PrefixKey, at: number, into: Sightings): void {
  const found = statements.get('select track, first_at, last_at from memory where prefix = ? and first_at <= ?').all(prefix, at) as unknown as [
    number,
    number,
    number,
  ][];
  for (const [track, firstAt, lastAt] of found) {
    into.set(track, uniteCaptures(into.get(track), { capturedAt: unixMs(lastAt <= at ? lastAt : firstAt), days: 1 }));
  }
}

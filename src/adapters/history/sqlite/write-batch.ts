import { RISK_TYPES } from '../../../contract/risk.ts';
import type { CaptureBatch, EvidenceSource } from '../../../core/evidence/capture.ts';
import type { UnixMs } from '../../../core/units.ts';
import { acceptTime, isPrefixRow, poolOfRow, type Refusals, typeOfRow } from '../accept-captures.ts';
import { ChangeLog } from '../change-log.ts';
import { compareKeys, ipv4Key, ipv6Key, type PrefixKey } from '../prefix-key.ts';
import { sortByPrefix } from '../sort-captures.ts';
import type { Catalogue, SourceEntry, Track } from './catalogue.ts';
import { recordSpells } from './record-run.ts';
import type { Statements } from './statements.ts';

export interface WrittenBatch {
  readonly rows: number;
  readonly added: number;
  readonly ended: number;
  /** How the source's live rows changed. */
  readonly changes: ChangeLog;
  /** Times of the oldest and the newest capture in the batch; undefined when it has none. */
  readonly oldest: UnixMs | undefined;
  readonly newest: UnixMs | undefined;
}

/** A batch that changes more entries than this is journalled as "everything": its log would take some 17 bytes a change. */
const CHANGES_MAX = 2_000_000;

/** Writes one batch inside a write transaction. Rows are taken in key order, so that neighbours land on one page. */
export class BatchWriter {
  readonly #statements: Statements;
  readonly #catalogue: Catalogue;
  readonly #source: EvidenceSource;
  readonly #entry: SourceEntry;
  readonly #batch: CaptureBatch;
  readonly #acceptedAt: UnixMs;
  readonly #refusals: Refusals;
  readonly #tracks = new Map<number, Track>();
  readonly #changes = new ChangeLog(CHANGES_MAX);
  #rows = 0;
  #events = 0;
  #oldest = Number.POSITIVE_INFINITY;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(
    store: { readonly statements: Statements; readonly catalogue: Catalogue },
    from: {
      readonly source: EvidenceSource;
      readonly entry: SourceEntry;
      readonly batch: CaptureBatch;
      readonly acceptedAt: UnixMs;
      readonly refusals: Refusals;
    },
  ) {
    this.#statements = store.statements;
    this.#catalogue = store.catalogue;
    this.#source = from.source;
    this.#entry = from.entry;
    this.#batch = from.batch;
    this.#acceptedAt = from.acceptedAt;
    this.#refusals = from.refusals;
  }

  /** Rows with times of their own, or `defaultAt`. */
  writeEvents(defaultAt: UnixMs): WrittenBatch {
    this.#eachRow((key, type, row) => {
      const own = this.#batch.capturedAt[row]!;
      const at = acceptTime(Number.isNaN(own) ? defaultAt : own, this.#acceptedAt);
      if (at === undefined) this.#refusals.add('ahead_of_clock');
      else this.#event(key, this.#track(type, row, false), at);
    });
    return this.#outcome(this.#events, 0);
  }

  /** One complete reading of a listing at `at`, which is not in the source's runs yet unless it is read a second time. */
  writeRun(at: UnixMs): WrittenBatch {
    return this.#source.mode === 'appearance' ? this.#writeAppearances(at) : this.#writeListing(at);
  }

  #writeListing(at: UnixMs): WrittenBatch {
    const entries = new Map<Track, PrefixKey[]>();
    this.#eachRow((key, type, row) => {
      this.#rows++;
      hold(entries, this.#track(type, row, false), key);
    });
    const spells = recordSpells(this.#statements, this.#entry, this.#catalogue.tracksOf(this.#entry, false), entries, at, this.#changes);
    return { rows: this.#rows, added: spells.added, ended: spells.ended, changes: this.#changes, oldest: at, newest: at };
  }

  /** A row with a time of its own is an event at that time; one without is an event at this run when the run before did not hold it. */
  #writeAppearances(at: UnixMs): WrittenBatch {
    const entries = new Map<Track, PrefixKey[]>();
    const eventTrack = new Map<Track, Track>();
    this.#eachRow((key, type, row) => {
      const own = this.#batch.capturedAt[row]!;
      if (Number.isNaN(own)) {
        const presence = this.#track(type, row, true);
        eventTrack.set(presence, this.#track(type, row, false));
        this.#rows++;
        hold(entries, presence, key);
        return;
      }
      const ownAt = acceptTime(own, this.#acceptedAt);
      if (ownAt === undefined) this.#refusals.add('ahead_of_clock');
      else this.#event(key, this.#track(type, row, false), ownAt);
    });
    const spells = recordSpells(this.#statements, this.#entry, this.#catalogue.tracksOf(this.#entry, true), entries, at, undefined);
    const rows = this.#rows;
    for (const { track, prefix } of spells.appeared) this.#event(prefix, eventTrack.get(track)!, at);
    this.#rows = rows;
    return this.#outcome(this.#events, spells.ended);
  }

  #eachRow(take: (key: PrefixKey, type: number, row: number) => void): void {
    const { family, words, bits } = this.#batch;
    const lengths = new Set<number>();
    for (const row of sortByPrefix(this.#batch)) {
      const type = typeOfRow(this.#batch, row, this.#source);
      const fault = type === undefined ? 'no_risk_type' : isPrefixRow(this.#batch, row) ? undefined : 'not_a_prefix';
      if (type === undefined || fault !== undefined) {
        this.#refusals.add(fault!);
        continue;
      }
      const at = 4 * row;
      const length = bits[row]!;
      lengths.add(family[row] === 4 ? length : 1000 + length);
      const key = family[row] === 4 ? ipv4Key(words[at]!, length) : ipv6Key(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!, length);
      take(key, type, row);
    }
    this.#catalogue.addLengths(lengths);
  }

  #track(type: number, row: number, presence: boolean): Track {
    const code = (this.#batch.pool[row]! * RISK_TYPES.length + type) * 2 + (presence ? 1 : 0);
    let track = this.#tracks.get(code);
    if (track === undefined) {
      track = this.#catalogue.trackOf(this.#entry, type, poolOfRow(this.#batch, row, this.#source), presence);
      this.#tracks.set(code, track);
    }
    return track;
  }

  #event(key: PrefixKey, track: Track, at: UnixMs): void {
    this.#rows++;
    const insert = this.#statements.get('insert or ignore into events (prefix, track, at) values (?, ?, ?)');
    if (insert.run(key, track.id, at).changes === 0) return;
    this.#events++;
    this.#changes.captured(key, track.id, at);
    if (at < this.#oldest) this.#oldest = at;
    if (at > this.#newest) this.#newest = at;
  }

  #outcome(added: number, ended: number): WrittenBatch {
    const any = Number.isFinite(this.#oldest);
    return {
      rows: this.#rows,
      added,
      ended,
      changes: this.#changes,
      oldest: any ? (this.#oldest as UnixMs) : undefined,
      newest: any ? (this.#newest as UnixMs) : undefined,
    };
  }
}

function hold(entries: Map<Track, PrefixKey[]>, track: Track, key: PrefixKey): void {
  const held = entries.get(track);
  if (held === undefined) entries.set(track, [key]);
  else if (compareKeys(held[held.length - 1]!, key) !== 0) held.push(key);
}

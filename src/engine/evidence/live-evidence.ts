import { RISK_TYPES } from '../../contract/risk.ts';
import { foldObservations } from '../../core/evidence/fold-observations.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import { DAYS_MASK } from '../../core/evidence/observed-days.ts';
import type { Address } from '../../core/ip/address.ts';
import { type UnixMs, utcDay } from '../../core/units.ts';
import type { HashSeed } from './address-hash.ts';
import { type EvidenceDelta, type LiveSource, ROW_OP } from './evidence-delta.ts';
import type { EvidenceImage } from './evidence-image.ts';
import { capturedAtOf, daysOf, ROW_KEY_WORDS, ROW_WORDS, SET } from './evidence-row.ts';
import { Overlay, type OverlayRow } from './overlay.ts';

/** What every address without evidence gets: one array for all, so that the usual look-up allocates nothing. */
export const NO_OBSERVATIONS: readonly Observation[] = Object.freeze([]);

const NO_POOLS: readonly string[] = Object.freeze([]);

/**
 * One thread's live evidence: an image, the deltas accepted since it was built, and the run times of sources. Reads fold all rows of an address the
 * way the history store does (`foldObservations`), so both give the same observations. Not shared between threads; each applies the same deltas.
 */
export class LiveEvidence {
  readonly image: EvidenceImage;
  readonly #sources: LiveSource[];
  readonly #sourceNumbers: Map<string, number>;
  readonly #pools: (readonly string[])[];
  readonly #poolNumbers: Map<string, number>;
  readonly #seed: HashSeed;
  readonly #overlay: Overlay;
  readonly #deltas: EvidenceDelta[] = [];
  #sequence: number;
  #dataVersion: string;

  /** @param seed random; what changes since the image is hashed with it */
  constructor(image: EvidenceImage, seed: HashSeed) {
    this.image = image;
    this.#seed = seed;
    this.#overlay = new Overlay(seed);
    this.#sources = [...image.sources];
    this.#sourceNumbers = new Map(image.sources.map(({ id }, number) => [id, number]));
    this.#pools = image.pools.map((name) => (name === '' ? NO_POOLS : Object.freeze([name])));
    this.#poolNumbers = new Map(image.pools.map((name, number) => [name, number]));
    this.#sequence = image.meta.sequence;
    this.#dataVersion = image.meta.dataVersion;
  }

  /** Sequence of the last accepted batch that is visible. */
  get sequence(): number {
    return this.#sequence;
  }

  get dataVersion(): string {
    return this.#dataVersion;
  }

  /** Prefixes whose rows changed since the image; what decides when the next one is worth building. */
  get overlaySize(): number {
    return this.#overlay.size;
  }

  /** Everything captured for the address, folded. Nothing there: the one frozen empty array. */
  observations(address: Address): readonly Observation[] {
    const { image } = this;
    const set = image.prefixSet(address);
    const entry = image.hostEntry(address);
    const added = this.#overlay.match(address);
    if (set === 0 && entry < 0 && added === 0) return NO_OBSERVATIONS;
    return this.#read(address.family, set, entry, added);
  }

  /** Makes a delta visible. One that is not newer than this view changes nothing. */
  applyDelta(delta: EvidenceDelta): void {
    if (delta.sequence <= this.#sequence) return;
    this.#apply(delta);
    this.#deltas.push(delta);
  }

  /**
   * A view of a newer image that has seen the same deltas: those the image does not include are applied again.
   * An image older than this one's changes nothing, since what lies between the two is no longer held: this view is returned.
   * @param restart what was seen so far no longer counts: the image is taken whatever its number, and no delta is applied to it
   */
  withImage(image: EvidenceImage, restart = false): LiveEvidence {
    if (restart) return new LiveEvidence(image, this.#seed);
    if (image.meta.sequence < this.image.meta.sequence) return this;
    const next = new LiveEvidence(image, this.#seed);
    for (const delta of this.#deltas) next.applyDelta(delta);
    return next;
  }

  #apply(delta: EvidenceDelta): void {
    const sources = delta.sources.map((source) => this.#source(source));
    const pools = delta.pools.map((name) => this.#pool(name));
    const { words } = delta;
    for (let i = 0; i < delta.length; i++) {
      const family = delta.family[i] === 4 ? 4 : 6;
      const bits = delta.bits[i]!;
      const source = sources[delta.source[i]!]!;
      const w0 = words[4 * i]!;
      const w1 = words[4 * i + 1]!;
      const w2 = words[4 * i + 2]!;
      const w3 = words[4 * i + 3]!;
      if (delta.op[i] === ROW_OP.clear) {
        this.#overlay.clear(family, w0, w1, w2, w3, bits, source);
        continue;
      }
      const pool = pools[delta.pool[i]!] ?? 0;
      const row: OverlayRow = {
        source,
        type: delta.type[i]!,
        pool,
        bits,
        following: delta.op[i] === ROW_OP.following,
        capturedAt: delta.capturedAt[i]!,
        days: delta.days[i]!,
      };
      this.#overlay.add(family, w0, w1, w2, w3, row);
    }
    this.#sequence = delta.sequence;
    this.#dataVersion = delta.dataVersion;
  }

  #source(source: LiveSource): number {
    const known = this.#sourceNumbers.get(source.id);
    if (known !== undefined) {
      this.#sources[known] = source;
      return known;
    }
    this.#sourceNumbers.set(source.id, this.#sources.length);
    return this.#sources.push(source) - 1;
  }

  #pool(name: string): number {
    const known = this.#poolNumbers.get(name);
    if (known !== undefined) return known;
    this.#poolNumbers.set(name, this.#pools.length);
    return this.#pools.push(Object.freeze([name])) - 1;
  }

  /** Rows from everywhere, folded at once. `added` is what the overlay's last `match` gave. */
  #read(family: 4 | 6, set: number, entry: number, added: number): readonly Observation[] {
    const { image } = this;
    const overlay = this.#overlay;
    const rows: Observation[] = [];
    for (let i = 0; i < added; i++) {
      for (const row of overlay.rowsOf(overlay.found[i]!))
        rows.push(this.#observation(row.source, row.type, row.pool, row.bits, row.following, row.capturedAt, row.days));
    }
    if (entry >= 0) {
      const { entries } = family === 4 ? image.hosts4 : image.hosts6;
      if (entries[entry + 2] === SET) this.#addSet(rows, entries[entry]!, added);
      else this.#addRow(rows, entries, entry, added);
    }
    if (set !== 0) this.#addSet(rows, set, added);
    return rows.length === 0 ? NO_OBSERVATIONS : foldObservations(rows);
  }

  #addSet(rows: Observation[], set: number, added: number): void {
    const { setOffsets, setRows } = this.image;
    const end = ROW_WORDS * setOffsets[set + 1]!;
    for (let at = ROW_WORDS * setOffsets[set]!; at < end; at += ROW_WORDS) this.#addRow(rows, setRows, at, added);
  }

  /** Adds the image's row at words[at..at+2], unless the overlay says that its source no longer holds it. */
  #addRow(rows: Observation[], words: Uint32Array, at: number, added: number): void {
    const { rowKeys } = this.image;
    const rowKey = ROW_KEY_WORDS * words[at + 2]!;
    const first = rowKeys[rowKey]!;
    const second = rowKeys[rowKey + 1]!;
    const source = first & 0xffff;
    const bits = (second >>> 8) & 0xff;
    if (added > 0 && this.#overlay.hides(added, bits, source)) return;
    const word1 = words[at + 1]!;
    rows.push(this.#observation(source, second & 0xff, first >>> 16, bits, second >>> 16 === 1, capturedAtOf(words[at]!, word1), daysOf(word1)));
  }

  #observation(source: number, type: number, pool: number, prefixBits: number, following: boolean, at: number, days: number): Observation {
    const from = this.#sources[source]!;
    const open = following && from.lastRunAt > at;
    const riskType = RISK_TYPES[type]!;
    const { id, family, sharedBy } = from;
    const capturedAt = (open ? from.lastRunAt : at) as UnixMs;
    const mask = open ? daysSince(from, at) : following ? 1 : days;
    const pools = this.#pools[pool]!;
    return sharedBy === undefined
      ? { riskType, source: id, family, capturedAt, days: mask, prefixBits, pools }
      : { riskType, source: id, family, capturedAt, days: mask, prefixBits, pools, sharedBy };
  }
}

/** Dates with a run from the presence interval's first run on: the source's run days, cut at the date of `firstRunAt`. */
function daysSince({ lastRunAt, runDays }: LiveSource, firstRunAt: number): number {
  const span = utcDay(lastRunAt) - utcDay(firstRunAt as UnixMs);
  return span >= 13 ? runDays & DAYS_MASK : runDays & ((2 << span) - 1);
}

import { RISK_TYPES } from '../../contract/risk.ts';
import { DAYS_MASK, foldObservations } from '../../core/evidence/fold-observations.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import type { Address, Prefix } from '../../core/ip/address.ts';
import { type AddressColumns, TEXT_KIND } from '../../core/ip/address-columns.ts';
import { addressBefore } from '../../core/ip/cut-points.ts';
import { compareAddresses, familyBits, lastAddress, prefixOf } from '../../core/ip/prefix.ts';
import { type UnixMs, utcDay } from '../../core/units.ts';
import { addressIn, type HashSeed, lastOf } from './address-hash.ts';
import { type EvidenceDelta, type LiveSource, ROW_OP } from './evidence-delta.ts';
import type { EvidenceImage } from './evidence-image.ts';
import { capturedAtOf, daysOf, LAST, ROW_KEY_WORDS, ROW_WORDS } from './evidence-row.ts';
import { Overlay } from './overlay.ts';

export interface CapturedHost {
  readonly address: Address;
  /** 0 where other rows may speak of the address too. */
  readonly set: number;
}

export interface AddressRange {
  readonly first: Address;
  readonly last: Address;
}

/** Answer for every address without evidence: one shared array, so that the usual lookup allocates nothing. */
export const NO_OBSERVATIONS: readonly Observation[] = Object.freeze([]);

const NO_POOLS: readonly string[] = Object.freeze([]);

/**
 * Live evidence of one thread: an image, the deltas accepted since, and the run times of sources. Reads fold
 * all rows of an address as the history store does (`foldObservations`), so both give the same observations.
 * Each thread applies the same deltas to its own.
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
  readonly #imageRanges: Partial<Record<4 | 6, readonly AddressRange[]>> = {};
  #sequence: number;
  #dataVersion: string;

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

  get sequence(): number {
    return this.#sequence;
  }

  get dataVersion(): string {
    return this.#dataVersion;
  }

  get overlaySize(): number {
    return this.#overlay.size;
  }

  observations(address: Address): readonly Observation[] {
    const { image } = this;
    const set = image.prefixSet(address);
    const entry = image.hostEntry(address);
    const added = this.#overlay.match(address);
    if (set === 0 && entry < 0 && added === 0) return NO_OBSERVATIONS;
    return this.#read(address.family, set, entry, added);
  }

  /**
   * Yields the single addresses of [first, last] that have rows of their own, each once, in no order, with the
   * number of the image's row set where that alone speaks of the address, else 0. A scan of all entries: its
   * time is bounded by their number.
   */
  *hostsWithin(first: Address, last: Address): Generator<CapturedHost> {
    const { family } = first;
    const { entries } = family === 4 ? this.image.hosts4 : this.image.hosts6;
    const width = family === 4 ? 2 : 5;
    for (const at of entriesWithin(entries, width, first.w0, last.w0)) {
      const w0 = entries[at]!;
      const address: Address =
        family === 4
          ? { family, w0, w1: 0, w2: 0, w3: 0 }
          : { family, w0, w1: entries[at + 1]!, w2: entries[at + 2]!, w3: entries[at + 3]! };
      if (compareAddresses(address, first) < 0 || compareAddresses(address, last) > 0) continue;
      const isAlone = this.image.prefixSet(address) === 0 && this.#overlay.match(address) === 0;
      yield { address, set: isAlone ? entries[at + width - 1]! : 0 };
    }
    for (const { prefix } of this.#added(first, last, true))
      if (this.image.hostEntry(prefix) < 0) yield { address: prefix, set: 0 };
  }

  rangesWithin(first: Address, last: Address): readonly AddressRange[] {
    const { family } = first;
    const held: AddressRange[] = this.#added(first, last, false).map(({ prefix }) => ({
      first: prefixOf(prefix, prefix.bits),
      last: lastAddress(prefix),
    }));
    this.#imageRanges[family] ??= capturedRanges(this.image, family);
    const inside = [...held, ...this.#imageRanges[family]]
      .filter((range) => compareAddresses(range.last, first) >= 0 && compareAddresses(range.first, last) <= 0)
      .map((range) => ({
        first: compareAddresses(range.first, first) < 0 ? first : range.first,
        last: compareAddresses(range.last, last) > 0 ? last : range.last,
      }))
      .sort((a, b) => compareAddresses(a.first, b.first));
    return joinRanges(inside);
  }

  #added(first: Address, last: Address, single: boolean): readonly { readonly prefix: Prefix }[] {
    const overlay = this.#overlay;
    const found: { readonly prefix: Prefix }[] = [];
    for (let entry = 0; entry < overlay.size; entry++) {
      const [family, bits] = [overlay.familyOf(entry), overlay.bitsOf(entry)];
      if (family !== first.family || (bits === familyBits(family)) !== single) continue;
      const [w0, w1, w2, w3] = [0, 1, 2, 3].map((word) => overlay.wordOf(entry, word));
      const prefix: Prefix = { family, w0: w0!, w1: w1!, w2: w2!, w3: w3!, bits };
      if (compareAddresses(lastAddress(prefix), first) >= 0 && compareAddresses(prefix, last) <= 0)
        found.push({ prefix });
    }
    return found;
  }

  get deltas(): readonly EvidenceDelta[] {
    return this.#deltas;
  }

  /** Writes 1 for each address in [from, to) with rows in image or overlay, else 0, from index 0 on. */
  markCaptured(addresses: AddressColumns, from: number, to: number, into: Uint8Array): void {
    const { kinds, w0 } = addresses;
    const { hosts4, prefixes4 } = this.image;
    for (let i = from; i < to; i++) {
      const kind = kinds[i]!;
      if (kind === TEXT_KIND.ipv4) {
        const first = w0[i]!;
        const held =
          prefixes4.find(first) !== 0 ||
          hosts4.find4(first) >= 0 ||
          (this.#overlay.touches(4, first) && this.#isAdded(addresses, i));
        into[i - from] = held ? 1 : 0;
      } else into[i - from] = kind === TEXT_KIND.ipv6 && this.#isCaptured(addresses.at(i)!) ? 1 : 0;
    }
  }

  #isCaptured(address: Address): boolean {
    return (
      this.image.prefixSet(address) !== 0 || this.image.hostEntry(address) >= 0 || this.#overlay.match(address) > 0
    );
  }

  #isAdded(addresses: AddressColumns, i: number): boolean {
    return this.#overlay.match(addresses.at(i)!) > 0;
  }

  applyDelta(delta: EvidenceDelta): void {
    this.beginDelta(delta)(Number.POSITIVE_INFINITY);
  }

  /**
   * Makes a delta visible in steps, so that lookups wait for one step at most. A `clear` and the rows after
   * it become visible together. The runs of sources, the number and the version change with the last step.
   * Begin another delta only after that.
   * @returns a function that applies about so many rows and returns whether that was the last step
   */
  beginDelta(delta: EvidenceDelta): (rows: number) => boolean {
    if (delta.sequence <= this.#sequence) return () => true;
    const sources = delta.sources.map((source) => this.#source(source));
    const pools = delta.pools.map((name) => this.#pool(name));
    let next = 0;
    return (rows) => {
      const end = stepEnd(delta, next + rows);
      for (; next < end; next++)
        this.#applyRow(delta, next, sources[delta.source[next]!]!, pools[delta.pool[next]!] ?? 0);
      if (next < delta.length) return false;
      this.#finish(delta, sources);
      return true;
    };
  }

  /**
   * Returns a view of a newer image without the deltas it holds; undefined for an older image, unless
   * `restart`.
   */
  onImage(image: EvidenceImage, restart: boolean): LiveEvidence | undefined {
    return restart || image.meta.sequence >= this.image.meta.sequence ? new LiveEvidence(image, this.#seed) : undefined;
  }

  #applyRow(
    { op, family, words, bits, type, capturedAt, days }: EvidenceDelta,
    i: number,
    source: number,
    pool: number,
  ): void {
    const overlay = this.#overlay;
    const at = 4 * i;
    overlay.at(family[i] === 4 ? 4 : 6, words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!, bits[i]!);
    overlay.apply(op[i]!, source, type[i]!, pool, capturedAt[i]!, days[i]!);
  }

  #finish(delta: EvidenceDelta, sources: readonly number[]): void {
    for (const [n, number] of sources.entries()) this.#sources[number] = delta.sources[n]!;
    this.#sequence = delta.sequence;
    this.#dataVersion = delta.dataVersion;
    this.#deltas.push(delta);
  }

  #source(source: LiveSource): number {
    const known = this.#sourceNumbers.get(source.id);
    if (known !== undefined) return known;
    this.#sourceNumbers.set(source.id, this.#sources.length);
    return this.#sources.push(source) - 1;
  }

  #pool(name: string): number {
    const known = this.#poolNumbers.get(name);
    if (known !== undefined) return known;
    this.#poolNumbers.set(name, this.#pools.length);
    return this.#pools.push(Object.freeze([name])) - 1;
  }

  #read(family: 4 | 6, set: number, entry: number, added: number): readonly Observation[] {
    const { image } = this;
    const overlay = this.#overlay;
    const rows: Observation[] = [];
    for (let i = 0; i < added; i++) this.#addOverlay(rows, overlay.found[i]!);
    if (entry >= 0) {
      const { entries } = family === 4 ? image.hosts4 : image.hosts6;
      this.#addSet(rows, entries[entry]!, added);
    }
    if (set !== 0) this.#addSet(rows, set, added);
    return rows.length === 0 ? NO_OBSERVATIONS : foldObservations(rows);
  }

  #addOverlay(rows: Observation[], entry: number): void {
    const { rows: held } = this.#overlay;
    const bits = this.#overlay.bitsOf(entry);
    for (let row = this.#overlay.firstRow(entry); row > 0; row = held.next(row)) {
      const op = held.op(row);
      if (op === ROW_OP.fixed || op === ROW_OP.following)
        rows.push(
          this.#observation(
            held.source(row),
            held.type(row),
            held.pool(row),
            bits,
            op === ROW_OP.following,
            held.capturedAt(row),
            held.days(row),
          ),
        );
    }
  }

  /** Inlined copy of `EvidenceImage.eachRow`, which would allocate a function for each lookup. */
  #addSet(rows: Observation[], set: number, added: number): void {
    const { setRows } = this.image;
    for (let at = ROW_WORDS * set; at < setRows.length; at += ROW_WORDS) {
      this.#addRow(rows, at, added);
      if (setRows[at + 1]! >= LAST) return;
    }
  }

  #addRow(rows: Observation[], at: number, added: number): void {
    const { rowKeys, setRows } = this.image;
    const rowKey = ROW_KEY_WORDS * setRows[at + 2]!;
    const first = rowKeys[rowKey]!;
    const second = rowKeys[rowKey + 1]!;
    const source = first & 0xffff;
    const bits = (second >>> 8) & 0xff;
    const [type, pool, following] = [second & 0xff, first >>> 16, second >>> 16 === 1];
    if (added > 0 && this.#overlay.hides(added, bits, source, type, pool, following)) return;
    const word1 = setRows[at + 1]!;
    rows.push(this.#observation(source, type, pool, bits, following, capturedAtOf(setRows[at]!, word1), daysOf(word1)));
  }

  #observation(
    source: number,
    type: number,
    pool: number,
    prefixBits: number,
    following: boolean,
    at: number,
    days: number,
  ): Observation {
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

/** Returns the source's run days from the interval's first run on, cut at the date of `firstRunAt`. */
function daysSince({ lastRunAt, runDays }: LiveSource, firstRunAt: number): number {
  const span = utcDay(lastRunAt) - utcDay(firstRunAt as UnixMs);
  return span >= 13 ? runDays & DAYS_MASK : runDays & ((2 << span) - 1);
}

/** Moves the end of a step at row `at` behind the rows of a `clear`, which must become visible together. */
function stepEnd({ length, op, family, words, bits }: EvidenceDelta, at: number): number {
  const samePlace = (i: number): boolean =>
    family[i] === family[i - 1] &&
    bits[i] === bits[i - 1] &&
    [0, 1, 2, 3].every((w) => words[4 * i + w] === words[4 * (i - 1) + w]);
  let end = Math.min(at, length);
  while (end > 0 && end < length && op[end] !== ROW_OP.clear && samePlace(end)) end++;
  return end;
}

function capturedRanges({ prefixes4, prefixes6 }: EvidenceImage, family: 4 | 6): readonly AddressRange[] {
  const { starts, ids, count } = (family === 4 ? prefixes4 : prefixes6).ranges();
  const width = family === 4 ? 1 : 4;
  const ranges: AddressRange[] = [];
  for (let range = 0; range < count; range++) {
    if (ids[range] === 0) continue;
    const last = range + 1 < count ? addressBefore(addressIn(family, starts, (range + 1) * width)) : lastOf(family);
    ranges.push({ first: addressIn(family, starts, range * width), last });
  }
  return ranges;
}

function joinRanges(ranges: readonly AddressRange[]): readonly AddressRange[] {
  const joined: AddressRange[] = [];
  for (const range of ranges) {
    const before = joined.at(-1);
    if (before === undefined || compareAddresses(range.first, before.last) > 0) joined.push(range);
    else if (compareAddresses(range.last, before.last) > 0)
      joined.splice(-1, 1, { first: before.first, last: range.last });
  }
  return joined;
}

/** A loop of its own takes a quarter less time than one inside the generator. */
function entriesWithin(entries: Uint32Array, width: number, from: number, to: number): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at < entries.length; at += width) {
    const w0 = entries[at]!;
    if (w0 >= from && w0 <= to) found.push(at);
  }
  return found;
}

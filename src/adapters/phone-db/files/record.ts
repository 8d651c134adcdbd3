import type { CardFacts, PhoneEntry } from '../../../core/phone/entry.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';

/**
 * One record: eight 32-bit words, little-endian.
 *
 *   0 1 2   the first 96 bits of the keyed hash of the number; word 0 is the leading sort word
 *   3       bits 0-15 number of the tag set, bits 16-31 observed days (0 = unknown)
 *   4       number of the card facts (0 = none)
 *   5       first seen, Unix seconds (0 = unknown)
 *   6       last active, Unix seconds
 *   7       bits 0-7 risk 0 to 9, bit 8 deletion (increments only), bit 9 the source states no score (bits 0-7 are 0)
 *
 * Tag sets and card facts repeat a great deal: a record names them by their number in a table that travels with the file.
 */
export const WORDS = 8;
export const RECORD_BYTES = 32;
const DELETED = 0x100;
export const NO_SCORE = 0x200;
const TAG_SETS_MAX = 0xffff;

/** Tables the records of one file point into; index 0 is the empty one in both. */
export interface RecordTables {
  readonly tagSets: readonly (readonly number[])[];
  readonly cards: readonly CardFacts[];
}

/** Numbers tag sets and card facts as they come. */
export class Interner implements RecordTables {
  readonly tagSets: (readonly number[])[] = [[]];
  readonly cards: CardFacts[] = [{}];
  readonly #tagSetNumbers = new Map<string, number>([['', 0]]);
  readonly #cardNumbers = new Map<string, number>();

  /** @throws Error when one library holds more than 65 535 different tag sets */
  tagSet(tags: readonly number[]): number {
    const name = tags.join();
    const known = this.#tagSetNumbers.get(name);
    if (known !== undefined) return known;
    if (this.tagSets.length > TAG_SETS_MAX)
      throw new Error('a library holds at most 65535 different combinations of tags');
    this.#tagSetNumbers.set(name, this.tagSets.length);
    return this.tagSets.push([...tags]) - 1;
  }

  card(facts: CardFacts | undefined): number {
    if (facts === undefined) return 0;
    const name = `${facts.province}|${facts.cityCode}|${facts.carrier}|${facts.attribute}|${facts.cardType}`;
    const known = this.#cardNumbers.get(name);
    if (known !== undefined) return known;
    this.#cardNumbers.set(name, this.cards.length);
    return this.cards.push(facts) - 1;
  }
}

/** Writes one record's words at `at`. `hash` is read from `hashAt`. An undefined entry is a deletion. */
export function writeRecord(
  words: Uint32Array,
  at: number,
  hash: Buffer,
  hashAt: number,
  entry: PhoneEntry | undefined,
  tables: Interner,
): void {
  words[at] = hash.readUInt32LE(hashAt);
  words[at + 1] = hash.readUInt32LE(hashAt + 4);
  words[at + 2] = hash.readUInt32LE(hashAt + 8);
  if (entry === undefined) {
    words[at + 7] = DELETED;
    return;
  }
  words[at + 3] = tables.tagSet(entry.tags) | (Math.min(entry.observedDays ?? 0, 0xffff) << 16);
  words[at + 4] = tables.card(entry.card);
  words[at + 5] = entry.firstSeen === undefined ? 0 : seconds(entry.firstSeen);
  words[at + 6] = seconds(entry.lastActive);
  words[at + 7] = entry.risk ?? NO_SCORE;
}

/** Times before 1970-01-01T00:00:01Z and after 2106 do not fit and are held at the edge. */
const seconds = (at: UnixMs): number => Math.min(0xffff_ffff, Math.max(1, Math.floor(at / 1000)));

export const isDeletion = (words: Uint32Array, at: number): boolean => ((words[at + 7] ?? 0) & DELETED) !== 0;

/** The entry whose record begins at word `at`. */
export function readRecord(words: Uint32Array, at: number, tables: RecordTables): PhoneEntry {
  const tagsAndDays = words[at + 3] ?? 0;
  const first = words[at + 5] ?? 0;
  const days = tagsAndDays >>> 16;
  // Filled in place: a batch reads hundreds, and each object spread into another costs as much as the search.
  const entry: Mutable<PhoneEntry> = {
    tags: tables.tagSets[tagsAndDays & 0xffff] ?? [],
    lastActive: unixMs((words[at + 6] ?? 0) * 1000),
  };
  const risk = words[at + 7] ?? 0;
  if ((risk & NO_SCORE) === 0) entry.risk = risk & 0xff;
  if (first !== 0) entry.firstSeen = unixMs(first * 1000);
  if (days !== 0) entry.observedDays = days;
  const card = words[at + 4] ?? 0;
  const facts = card === 0 ? undefined : tables.cards[card];
  if (facts !== undefined) entry.card = facts;
  return entry;
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

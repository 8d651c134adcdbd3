import type { Address } from '../../core/ip/address.ts';
import { type EvidenceDelta, ROW_OP } from './evidence-delta.ts';
import type { EvidenceImage } from './evidence-image.ts';
import { capturedAtOf, daysOf, ROW_KEY_WORDS, ROW_WORDS, SET, word1Of } from './evidence-row.ts';
import type { MergedNames } from './merged-names.ts';
import { Overlay } from './overlay.ts';
import { RowKeys } from './row-keys.ts';
import { RowSets } from './row-sets.ts';

/** Every prefix that changes name, with all its rows: those that an image has of it, and then their changes. */
export class ChangedRows {
  readonly overlay: Overlay;
  readonly rowKeys: RowKeys;
  readonly sets: RowSets;
  readonly #image: EvidenceImage;

  constructor(image: EvidenceImage, changes: EvidenceDelta, names: MergedNames) {
    this.#image = image;
    this.overlay = new Overlay(image.seed);
    this.rowKeys = new RowKeys(image.rowKeys);
    this.sets = new RowSets(image.seed, image);
    for (let i = 0; i < changes.length; i++) this.#take(changes, i, names);
  }

  /** Words of the rows of a prefix. @param entry its number in the overlay */
  of(entry: number): number[] {
    const { rows } = this.overlay;
    const bits = this.overlay.bitsOf(entry);
    const words: number[] = [];
    for (let row = this.overlay.firstRow(entry); row > 0; row = rows.next(row)) {
      const following = rows.op(row) === ROW_OP.following;
      if (!following && rows.op(row) !== ROW_OP.fixed) continue;
      const at = rows.capturedAt(row);
      words.push(
        at % 0x1_0000_0000,
        word1Of(at, following ? 0 : rows.days(row)),
        this.rowKeys.number(rows.source(row), rows.type(row), rows.pool(row), bits, following),
      );
    }
    return words;
  }

  #take(
    { op, family, words, bits, source, pool, type, capturedAt, days }: EvidenceDelta,
    i: number,
    names: MergedNames,
  ): void {
    if (!names.takes(source[i]!, op[i] === ROW_OP.clear ? 0 : pool[i]!)) return;
    const { overlay } = this;
    const held = overlay.size;
    const address: Address = {
      family: family[i] === 4 ? 4 : 6,
      w0: words[4 * i]!,
      w1: words[4 * i + 1]!,
      w2: words[4 * i + 2]!,
      w3: words[4 * i + 3]!,
    };
    overlay.at(address.family, address.w0, address.w1, address.w2, address.w3, bits[i]!);
    if (overlay.size > held) this.#takeImage(address, bits[i]!);
    const poolNumber = op[i] === ROW_OP.clear ? 0 : names.poolOf[pool[i]!]!;
    overlay.apply(op[i]!, names.sourceOf[source[i]!]!, type[i]!, poolNumber, capturedAt[i]!, days[i]!);
  }

  /** Rows of the image of exactly this prefix. */
  #takeImage(address: Address, bits: number): void {
    const image = this.#image;
    if (bits < (address.family === 4 ? 32 : 128)) {
      this.#takeSet(image.prefixSet(address), bits);
      return;
    }
    const entry = image.hostEntry(address);
    if (entry < 0) return;
    const { entries } = address.family === 4 ? image.hosts4 : image.hosts6;
    if (entries[entry + 2] === SET) this.#takeSet(entries[entry]!, bits);
    else this.#takeRow(entries, entry, bits);
  }

  /** Ranges have the rows of all prefixes around them. */
  #takeSet(set: number, bits: number): void {
    const { setOffsets, setRows } = this.#image;
    for (let at = ROW_WORDS * setOffsets[set]!; at < ROW_WORDS * setOffsets[set + 1]!; at += ROW_WORDS)
      this.#takeRow(setRows, at, bits);
  }

  #takeRow(words: Uint32Array, at: number, bits: number): void {
    const key = ROW_KEY_WORDS * words[at + 2]!;
    const [first, second] = [this.#image.rowKeys[key]!, this.#image.rowKeys[key + 1]!];
    if (((second >>> 8) & 0xff) !== bits) return;
    const op = second >>> 16 === 1 ? ROW_OP.following : ROW_OP.fixed;
    this.overlay.add(
      op,
      first & 0xffff,
      second & 0xff,
      first >>> 16,
      capturedAtOf(words[at]!, words[at + 1]!),
      daysOf(words[at + 1]!),
    );
  }
}

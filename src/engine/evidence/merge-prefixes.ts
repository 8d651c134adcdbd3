import type { SectionInput } from '../image.ts';
import { encodeRanges4 } from '../ranges/range-table4.ts';
import { encodeRanges6 } from '../ranges/range-table6.ts';
import { eachPrefixRow, prefixText } from './each-prefix-row.ts';
import { PREFIXES } from './evidence-builder.ts';
import type { EvidenceDelta } from './evidence-delta.ts';
import type { EvidenceImage } from './evidence-image.ts';
import { ROW_WORDS } from './evidence-row.ts';
import { PrefixRows } from './prefix-rows.ts';
import { CHANGE_WORDS, type RowChanges } from './row-changes.ts';
import type { RowSets } from './row-sets.ts';

/** Ranges of prefixes: as they are when no prefix changed, else taken apart into the rows they were made of and put together again. */
export function mergePrefixes(
  image: EvidenceImage,
  changes: EvidenceDelta,
  ops: RowChanges,
  sets: RowSets,
  family: 4 | 6,
): readonly SectionInput[] {
  const changed: number[] = [];
  const longest = family === 4 ? 32 : 128;
  for (let i = 0; i < changes.length; i++) {
    if (changes.family[i] === family && changes.bits[i]! < longest && ops.takes(i)) changed.push(i);
  }
  if (changed.length === 0) return sectionsOf(image, `${PREFIXES}${family}`);
  const prefixes = new Map<string, { readonly at: readonly number[]; readonly rows: number[] }>();
  const rowsOf = (w0: number, w1: number, w2: number, w3: number, bits: number): number[] => {
    const text = prefixText(w0, w1, w2, w3, bits);
    const known = prefixes.get(text);
    if (known !== undefined) return known.rows;
    const rows: number[] = [];
    prefixes.set(text, { at: [w0, w1, w2, w3, bits], rows });
    return rows;
  };
  eachPrefixRow(image, family, (w0, w1, w2, w3, bits, row) => {
    const rows = rowsOf(w0, w1, w2, w3, bits);
    for (let w = 0; w < ROW_WORDS; w++) rows.push(image.setRows[row + w]!);
  });
  const { words } = changes;
  const change = new Uint32Array(CHANGE_WORDS);
  for (const i of changed) {
    ops.write(i, change, 0);
    ops.apply(
      change,
      0,
      rowsOf(words[4 * i]!, words[4 * i + 1]!, words[4 * i + 2]!, words[4 * i + 3]!, changes.bits[i]!),
    );
  }
  const pending = new PrefixRows(family);
  for (const { at, rows } of prefixes.values()) {
    for (let row = 0; row < rows.length; row += ROW_WORDS)
      pending.add(at[0]!, at[1]!, at[2]!, at[3]!, at[4]!, rows[row]!, rows[row + 1]!, rows[row + 2]!);
  }
  const ranges = pending.flatten(sets);
  return ranges.family === 4 ? encodeRanges4(PREFIXES, ranges) : encodeRanges6(PREFIXES, ranges);
}

function sectionsOf({ image }: EvidenceImage, start: string): readonly SectionInput[] {
  return image.entries.filter(({ id }) => id.startsWith(start)).map(({ id }) => ({ id, data: image.bytes(id) }));
}

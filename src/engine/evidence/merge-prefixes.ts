import type { SectionInput } from '../image.ts';
import { encodeRanges4 } from '../ranges/range-table4.ts';
import { encodeRanges6 } from '../ranges/range-table6.ts';
import type { ChangedRows } from './changed-rows.ts';
import { eachPrefixRow } from './each-prefix-row.ts';
import { PREFIXES } from './evidence-builder.ts';
import type { EvidenceImage } from './evidence-image.ts';
import { ROW_WORDS } from './evidence-row.ts';
import { PrefixRows } from './prefix-rows.ts';

/** Ranges of prefixes: as they are when no prefix changed, else taken apart into the rows they were made of and put together again. */
export function mergePrefixes(image: EvidenceImage, changed: ChangedRows, family: 4 | 6): readonly SectionInput[] {
  const { overlay, sets } = changed;
  const entries = overlay.entries(family, (bits) => bits < (family === 4 ? 32 : 128));
  if (entries.length === 0) return sectionsOf(image, `${PREFIXES}${family}`);
  const pending = new PrefixRows(family);
  const { setRows } = image;
  eachPrefixRow(image, family, (w0, w1, w2, w3, bits, row) => {
    if (!overlay.has(family, w0, w1, w2, w3, bits))
      pending.add(w0, w1, w2, w3, bits, setRows[row]!, setRows[row + 1]!, setRows[row + 2]!);
  });
  for (const entry of entries) {
    const rows = changed.of(entry);
    const [w0, w1, w2, w3] = [0, 1, 2, 3].map((w) => overlay.wordOf(entry, w)) as [number, number, number, number];
    for (let row = 0; row < rows.length; row += ROW_WORDS)
      pending.add(w0, w1, w2, w3, overlay.bitsOf(entry), rows[row]!, rows[row + 1]!, rows[row + 2]!);
  }
  const ranges = pending.flatten(sets);
  return ranges.family === 4 ? encodeRanges4(PREFIXES, ranges) : encodeRanges6(PREFIXES, ranges);
}

function sectionsOf({ image }: EvidenceImage, start: string): readonly SectionInput[] {
  return image.entries.filter(({ id }) => id.startsWith(start)).map(({ id }) => ({ id, data: image.bytes(id) }));
}

import type { EvidenceImage } from './evidence-image.ts';
import { ROW_KEY_WORDS } from './evidence-row.ts';

/** @param row index of the row's first word in the image's `setRows` */
export type TakePrefixRow = (w0: number, w1: number, w2: number, w3: number, bits: number, row: number) => void;

/**
 * Passes on the rows that the image's ranges were made of, each once with its prefix. A row of length b in a
 * range's set holds for every b-bit network there. It is passed on for the range that contains the network's
 * first address.
 */
export function eachPrefixRow(image: EvidenceImage, family: 4 | 6, take: TakePrefixRow): void {
  const { ids, starts, count } = (family === 4 ? image.prefixes4 : image.prefixes6).ranges();
  const width = family === 4 ? 32 : 128;
  const startOf = (i: number): bigint => {
    if (i === count) return 1n << BigInt(width);
    return family === 4
      ? BigInt(starts[i]!)
      : wide(starts[4 * i]!, starts[4 * i + 1]!, starts[4 * i + 2]!, starts[4 * i + 3]!);
  };
  for (let i = 0; i < count; i++) {
    const set = ids[i]!;
    if (set === 0) continue;
    const from = startOf(i);
    const to = startOf(i + 1);
    image.eachRow(set, (row) => {
      const bits = (image.rowKeys[ROW_KEY_WORDS * image.setRows[row + 2]! + 1]! >>> 8) & 0xff;
      const size = 1n << BigInt(width - bits);
      for (let at = ((from + size - 1n) / size) * size; at < to; at += size) {
        if (family === 4) take(Number(at), 0, 0, 0, bits, row);
        else take(wordOf(at, 96n), wordOf(at, 64n), wordOf(at, 32n), wordOf(at, 0n), bits, row);
      }
    });
  }
}

const wide = (w0: number, w1: number, w2: number, w3: number): bigint =>
  (BigInt(w0) << 96n) | (BigInt(w1) << 64n) | (BigInt(w2) << 32n) | BigInt(w3);
const wordOf = (value: bigint, shift: bigint): number => Number((value >> shift) & 0xffff_ffffn);

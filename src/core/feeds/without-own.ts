import { CaptureBatchBuilder } from '../evidence/capture-batch-builder.ts';
import type { CaptureBatch } from '../evidence/observation.ts';
import type { Prefix } from '../ip/address.ts';
import { contains } from '../ip/prefix.ts';

export function withoutOwn(
  batch: CaptureBatch,
  own: readonly Prefix[],
): { readonly batch: CaptureBatch; readonly left: number } {
  const { words, bits, type, capturedAt, pool } = batch;
  const family = (row: number) => batch.family[row] as 4 | 6;
  const word = (row: number, place: 0 | 1 | 2 | 3): number => words[4 * row + place]!;
  const isOwn = (row: number): boolean =>
    own.some(
      (prefix) =>
        prefix.family === batch.family[row] &&
        prefix.bits <= bits[row]! &&
        contains(prefix, {
          family: family(row),
          w0: word(row, 0),
          w1: word(row, 1),
          w2: word(row, 2),
          w3: word(row, 3),
        }),
    );
  const left = new Set<number>();
  for (let row = 0; row < batch.length; row++) if (isOwn(row)) left.add(row);
  if (left.size === 0) return { batch, left: 0 };
  const kept = new CaptureBatchBuilder(batch.length);
  const pools = batch.pools.map((name) => kept.poolId(name) ?? 0);
  for (let row = 0; row < batch.length; row++) {
    if (left.has(row)) continue;
    const address = [word(row, 0), word(row, 1), word(row, 2), word(row, 3)] as const;
    kept.append(family(row), ...address, bits[row]!, type[row]!, capturedAt[row]!, pools[pool[row]!]!);
  }
  return { batch: kept.build(), left: left.size };
}

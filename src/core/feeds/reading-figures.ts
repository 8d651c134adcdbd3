import type { CaptureBatch } from '../evidence/observation.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import type { ParsedFeed } from './feed.ts';

export interface ReadingFigures {
  readonly rows: number;
  readonly asns?: number;
  readonly pools: number;
  readonly covered: Coverage;
  readonly before?: Coverage;
  readonly prefixes: Partial<Readonly<Record<4 | 6, PrefixSpan>>>;
}

export interface PrefixSpan {
  readonly widest: number;
  readonly narrowest: number;
}

export function readingFigures({ rows, asns, batch }: ParsedFeed, before: Coverage | undefined): ReadingFigures {
  return {
    rows,
    ...(asns.length === 0 ? {} : { asns: asns.length }),
    pools: batch.pools.length - 1,
    covered: coverageOf(batch),
    ...(before === undefined ? {} : { before }),
    prefixes: { ...spanOf(batch, 4), ...spanOf(batch, 6) },
  };
}

function spanOf({ length, family, bits }: CaptureBatch, of: 4 | 6): ReadingFigures['prefixes'] {
  let widest = Number.POSITIVE_INFINITY;
  let narrowest = 0;
  for (let row = 0; row < length; row++) {
    if (family[row] !== of) continue;
    widest = Math.min(widest, bits[row]!);
    narrowest = Math.max(narrowest, bits[row]!);
  }
  return widest > 128 ? {} : { [of]: { widest, narrowest } };
}

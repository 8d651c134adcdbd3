import { RISK_TYPES } from '../../src/contract/risk.ts';
import { unixMs } from '../../src/core/units.ts';
import { ROW_OP } from '../../src/engine/evidence/evidence-delta.ts';
import type { EvidenceRows, EvidenceScan, LiveRow } from '../../src/service/ports.ts';

type Names = Pick<EvidenceScan['names'], 'sources' | 'pools'>;

export async function rowsOfScan({ names, columns }: EvidenceScan): Promise<LiveRow[]> {
  const rows: LiveRow[] = [];
  for await (const chunk of columns)
    rows.push(...rowsOfColumns({ names, rows: chunk }).map(({ op: _, ...row }) => row));
  return rows;
}

export function rowsOfColumns({
  names: { sources, pools },
  rows,
}: Pick<EvidenceRows, 'rows'> & { readonly names: Names }): (LiveRow & { readonly op: number })[] {
  const { length, op, family, words, bits, source, type, pool, capturedAt, days } = rows;
  return Array.from({ length }, (_, i) => ({
    op: op[i]!,
    prefix: {
      family: family[i] === 4 ? 4 : 6,
      w0: words[4 * i]!,
      w1: words[4 * i + 1]!,
      w2: words[4 * i + 2]!,
      w3: words[4 * i + 3]!,
      bits: bits[i]!,
    },
    source: sources[source[i]!]!.id,
    riskType: RISK_TYPES[type[i]!]!,
    pool: pools[pool[i]!]!,
    following: op[i] === ROW_OP.following,
    capturedAt: unixMs(capturedAt[i]!),
    days: days[i]!,
  }));
}

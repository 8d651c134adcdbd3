import { RISK_TYPES } from '../../src/contract/risk.ts';
import { unixMs } from '../../src/core/units.ts';
import { ROW_OP } from '../../src/engine/evidence/evidence-delta.ts';
import type { EvidenceScan, LiveRow } from '../../src/service/ports.ts';

/** Everything a scan holds, as rows: an object for each. */
export async function rowsOfScan({ names: { sources, pools }, columns }: EvidenceScan): Promise<LiveRow[]> {
  const rows: LiveRow[] = [];
  for await (const { length, op, family, words, bits, source, type, pool, capturedAt, days } of columns) {
    for (let i = 0; i < length; i++) {
      rows.push({
        prefix: { family: family[i] === 4 ? 4 : 6, w0: words[4 * i]!, w1: words[4 * i + 1]!, w2: words[4 * i + 2]!, w3: words[4 * i + 3]!, bits: bits[i]! },
        source: sources[source[i]!]!.id,
        riskType: RISK_TYPES[type[i]!]!,
        pool: pools[pool[i]!]!,
        following: op[i] === ROW_OP.following,
        capturedAt: unixMs(capturedAt[i]!),
        days: days[i]!,
      });
    }
  }
  return rows;
}

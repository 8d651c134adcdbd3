import type { PulseIPRisk } from '../../../src/contract/risk.ts';
import type { Observation } from '../../../src/core/evidence/capture.ts';
import { unixMs } from '../../../src/core/units.ts';

/**
 * The captures behind a professional answer, as far as its rows tell, to draw how the score will fall. Undefined when exact times are withheld.
 * The rows do not say how many osint families there are nor how long a captured IPv6 prefix was; the families are taken from the score that was given.
 */
export function observationsOf(verdict: PulseIPRisk): readonly Observation[] | undefined {
  if (verdict.evidence.some((row) => row.captured_at === undefined)) return undefined;
  return verdict.evidence.map((row, index) => ({
    riskType: row.risk_type,
    family: `row-${index}`,
    capturedAt: unixMs(Date.parse(row.captured_at ?? '')),
    days: 2 ** Math.max(1, row.obs_days) - 1,
    prefixBits: 128,
    pools: [],
  }));
}

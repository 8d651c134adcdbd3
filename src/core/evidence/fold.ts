import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import type { Observation } from './capture.ts';
import { alignDays } from './observed-days.ts';
import { uniteDays } from './unite-captures.ts';

/**
 * Folds everything known of one address into what a verdict reads: one observation per risk type, for osint one per listing family.
 * The live index and the history store both end here, so they cannot disagree.
 *
 * A row is what one (prefix, risk type, family, pool, sharedBy) holds; rows of all prefixes that contain the address come together, in any order.
 * Rules:
 * - the newest capture wins: `capturedAt` and `family` are its own (equal times: the family first in code-unit order);
 * - day masks are moved to the newest capture's UTC date and united;
 * - a row contributes its pools, its prefix length and `sharedBy` while at least one of its days is still inside that mask, so what was seen long ago
 *   in a pool the address has left does not come back with a new capture; the most specific prefix counts; Tor beats relay;
 * - a family that feeds proxy or vpn for this address does not also count as osint.
 * The rows must not be folded in parts: the last two rules need all of them at once.
 * @param rows not changed; rows with equal keys are allowed
 * @returns at most one observation per type (osint: per family), in RISK_TYPES order, osint families in code-unit order
 */
export function foldObservations(rows: readonly Observation[]): readonly Observation[] {
  if (rows.length < 2) return rows;
  if (rows.length <= 8 && allApart(rows)) return [...rows].sort(byTypeThenFamily);
  const groups = new Map<string, Observation[]>();
  const exits = new Set<string>();
  for (const row of rows) {
    if (row.riskType === 'proxy' || row.riskType === 'vpn') exits.add(row.family);
    const key = row.riskType === 'osint' ? `osint ${row.family}` : row.riskType;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  const folded: Observation[] = [];
  for (const group of groups.values()) {
    const first = group[0]!;
    if (first.riskType === 'osint' && exits.has(first.family)) continue;
    folded.push(group.length === 1 ? first : foldGroup(group));
  }
  return folded.sort(byTypeThenFamily);
}

/** The common case, found without a map: no two rows meet and no family is in the way of another. */
function allApart(rows: readonly Observation[]): boolean {
  for (let i = 1; i < rows.length; i++) {
    const a = rows[i]!;
    for (let j = 0; j < i; j++) {
      const b = rows[j]!;
      if (a.riskType === b.riskType ? a.riskType !== 'osint' || a.family === b.family : a.family === b.family) return false;
    }
  }
  return true;
}

const ORDER = new Map<RiskType, number>(RISK_TYPES.map((type, index) => [type, index]));

const byTypeThenFamily = (a: Observation, b: Observation): number =>
  ORDER.get(a.riskType)! - ORDER.get(b.riskType)! || (a.family < b.family ? -1 : a.family > b.family ? 1 : 0);

const isNewer = (a: Observation, b: Observation): boolean => a.capturedAt > b.capturedAt || (a.capturedAt === b.capturedAt && a.family < b.family);

function foldGroup(group: readonly Observation[]): Observation {
  let newest = group[0]!;
  for (const row of group) if (isNewer(row, newest)) newest = row;
  let days = 0;
  let prefixBits = 0;
  let sharedBy: Observation['sharedBy'];
  const pools = new Set<string>();
  for (const row of group) {
    if (alignDays(row.days, row.capturedAt, newest.capturedAt) === 0) continue;
    days = uniteDays(newest.capturedAt, days, row.capturedAt, row.days);
    if (row.prefixBits > prefixBits) prefixBits = row.prefixBits;
    if (row.sharedBy !== undefined && sharedBy !== 'tor') sharedBy = row.sharedBy;
    for (const pool of row.pools) pools.add(pool);
  }
  const { riskType, family, capturedAt } = newest;
  const folded = { riskType, family, capturedAt, days, prefixBits, pools: [...pools].sort() };
  return sharedBy === undefined ? folded : { ...folded, sharedBy };
}

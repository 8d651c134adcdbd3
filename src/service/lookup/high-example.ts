import type { HighExample } from '../../contract/shown-names.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import { knownGoodCapOf } from '../../core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { verdict } from '../../core/risk/verdict.ts';
import { HOUR_MS, type UnixMs } from '../../core/units.ts';
import { DEMO_RISK_VERSION } from '../demo-risk-version.ts';
import type { LookupView } from '../ports.ts';

const JUDGED_MAX = 20_000;
const FIRST = { family: 4, w0: 0, w1: 0, w2: 0, w3: 0 } as const;
const LAST = { ...FIRST, w0: 0xffff_ffff } as const;

/**
 * Returns an address whose score is high now by published lists alone, to show visitors what one looks like; the
 * same for an hour while it stays so. What the operator's own collection saw is not shown; a demonstration has no other.
 */
export function highExample(view: () => LookupView | undefined, now: () => UnixMs): () => HighExample | undefined {
  let address: Address | undefined;
  let until = 0;
  return () => {
    const at = now();
    const current = view();
    if (current === undefined) return undefined;
    const kept = at < until && address !== undefined ? judge(current, address, at) : undefined;
    if (kept !== undefined || (at < until && address === undefined)) return kept;
    until = at + HOUR_MS;
    for (const host of current.captured?.hostsWithin(FIRST, LAST).take(JUDGED_MAX) ?? []) {
      const found = judge(current, host.address, at);
      address = found && host.address;
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function judge(view: LookupView, address: Address, now: UnixMs): HighExample | undefined {
  const { protection } = view;
  const observations = view.observations(address);
  const isDemo = view.dataVersion.risk === DEMO_RISK_VERSION;
  if (isReserved(address)) return undefined;
  if (!isDemo && observations.some(({ source }) => protection?.isOwn(source) !== false)) return undefined;
  const cap = knownGoodCapOf(protection, address);
  const judged = verdict(observations, view.network(address), 4, now, SCORE_PARAMETERS, cap);
  const { level, score, signals, sharedBy } = judged;
  if (level !== 'high') return undefined;
  return { ip: formatAddress(address), score, signals, ...(sharedBy !== undefined && { shared_by: sharedBy }) };
}

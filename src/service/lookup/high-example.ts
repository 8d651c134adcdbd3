import { formatAddress } from '../../core/ip/format-address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import { knownGoodCapOf } from '../../core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { verdict } from '../../core/risk/verdict.ts';
import { HOUR_MS, type UnixMs } from '../../core/units.ts';
import type { LookupView } from '../ports.ts';

const JUDGED_MAX = 20_000;
const FIRST = { family: 4, w0: 0, w1: 0, w2: 0, w3: 0 } as const;
const LAST = { ...FIRST, w0: 0xffff_ffff } as const;

/**
 * Returns an address whose score is high now by published lists alone, to show visitors what one looks like; the
 * same for an hour. What the operator's own collection saw is not shown.
 */
export function highExample(view: () => LookupView | undefined, now: () => UnixMs): () => string | undefined {
  let known: { readonly ip: string | undefined; readonly until: number } | undefined;
  return () => {
    const at = now();
    const current = view();
    if (known !== undefined && at < known.until) return known.ip;
    if (current === undefined) return undefined;
    known = { ip: find(current, at), until: at + HOUR_MS };
    return known.ip;
  };
}

function find(view: LookupView, now: UnixMs): string | undefined {
  const { protection } = view;
  for (const { address } of view.captured?.hostsWithin(FIRST, LAST).take(JUDGED_MAX) ?? []) {
    const observations = view.observations(address);
    if (isReserved(address) || observations.some(({ source }) => protection?.isOwn(source) !== false)) continue;
    const cap = knownGoodCapOf(protection, address);
    const { level } = verdict(observations, view.network(address), 4, now, SCORE_PARAMETERS, cap);
    if (level === 'high') return formatAddress(address);
  }
  return undefined;
}

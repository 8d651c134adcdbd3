import type { Freshness, RiskType } from '../../contract/risk.ts';
import { OBSERVED_DAYS } from '../evidence/fold-observations.ts';
import type { Verdict, VerdictRow } from '../risk/verdict.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../units.ts';
import type { Order } from './order.ts';

/** Detail of a reason: the time to the minute, the class of the age, or the signals of the basic document alone. */
export type ReasonDetail = 'times' | 'freshness' | 'types';

const CLASSES: Readonly<Record<Freshness, string>> = {
  within_2h: 'within 2 hours',
  within_4h: 'within 4 hours',
  within_12h: 'within 12 hours',
  older: 'more than 12 hours ago',
};

/** Returns what decided in words: `proxy, 55 minutes ago, on 7 of 14 days`, with what changed the order. */
export function reasonOf({ action, by, signal }: Order, verdict: Verdict, detail: ReasonDetail): string {
  switch (by) {
    case 'allow_list':
      return 'on an allow list';
    case 'override':
      return 'allowed by the operator';
    case 'signal':
      return `${action === 'allow' ? 'allowed as' : 'signal'} ${signal?.replaceAll('_', ' ')}`;
    case 'tor':
      return `${evidenceOf(verdict, detail)}; Tor exit`;
    case 'crowd':
      return `${evidenceOf(verdict, detail)}; its network puts many behind one address (${verdict.crowd})`;
    case 'score':
      return evidenceOf(verdict, detail);
  }
}

function evidenceOf(verdict: Verdict, detail: ReasonDetail): string {
  if (verdict.state === 'none') return 'no evidence';
  if (verdict.state === 'stale') return 'no recent evidence';
  if (detail !== 'types') return rowWords(verdict.evidence[0], detail);
  const shown = verdict.evidence.find(({ riskType }) => (verdict.signals as readonly RiskType[]).includes(riskType));
  return shown?.riskType.replaceAll('_', ' ') ?? 'active evidence';
}

function rowWords({ riskType, ageMs, freshness, obsDays }: VerdictRow, detail: Exclude<ReasonDetail, 'types'>): string {
  const type = riskType.replaceAll('_', ' ');
  const age = detail === 'times' ? ageWords(ageMs) : CLASSES[freshness];
  return `${type}, ${age}, on ${obsDays} of ${OBSERVED_DAYS} days`;
}

function ageWords(ageMs: number): string {
  const [count, unit] =
    ageMs < HOUR_MS
      ? [ageMs / MINUTE_MS, 'minute']
      : ageMs < 2 * DAY_MS
        ? [ageMs / HOUR_MS, 'hour']
        : [ageMs / DAY_MS, 'day'];
  const whole = Math.floor(count as number);
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ago`;
}

import type { Explanation, IPRisk } from '../../contract/documents.ts';
import { type Freshness, RISK_TYPES, type RiskType, type ShareTier } from '../../contract/risk.ts';
import { OBSERVED_DAYS } from '../evidence/fold-observations.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { addressOrder, type Order } from '../policy/order.ts';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import { ALLOWED_SCORE } from '../risk/override.ts';
import { crowdOf } from '../risk/share-tier.ts';
import type { Verdict, VerdictRow } from '../risk/verdict.ts';
import { fillWords } from '../texts/said.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../units.ts';
import type { ReportWords } from './report-words.ts';
import { wordsEn } from './words-en.ts';

export interface SaidOrder extends Order {
  /** As `Deny: proxy seen 1 h ago, 87. Its network is not shared by many.` */
  readonly sentence: string;
}

type Ordered = Pick<IPRisk, 'ip' | 'evidence_state' | 'meta'> & {
  readonly risk: Pick<IPRisk['risk'], 'score' | 'signals'>;
  readonly network?: { readonly usage_type?: string | undefined };
};

export function sayOrder(
  { ip, risk: { score, signals = [] }, evidence_state: state, network, meta }: Ordered,
  { rows: [top], shared_by: sharedBy }: Pick<Explanation, 'rows' | 'shared_by'>,
  words: ReportWords,
  policy = DEFAULT_POLICY,
): SaidOrder {
  const { order: own, sheet, states, colon, explain } = words;
  const address = parseAnyAddress(ip)!;
  const crowd = crowdOf({ usageType: network?.usage_type, relay: sharedBy === 'relay' }, address.family);
  const override = meta.override === true && score <= ALLOWED_SCORE ? {} : undefined;
  const order = addressOrder(policy, { score, signals, crowd, sharedBy, override }, address);
  const { action, by } = order;
  const evidence = (): string => {
    if (state !== 'active') return lowered(states[state]);
    const kinds = top ? [top.risk_type] : RISK_TYPES.filter((type) => signals.some((one) => one === type));
    const what = kinds.map((kind) => lowered(sheet.riskTypes[kind])).join(sheet.comma) || lowered(states.active);
    const age = top?.age_ms === undefined ? '' : fillWords(own.seen, { age: ageText(top.age_ms, explain) });
    return what + age.replace('.0', '') + sheet.comma + score;
  };
  const isOwnLine = action !== 'allow' && (crowd === 'T0' || crowd === 'T1');
  const why = by !== 'score' ? whyOf(order, crowd, words) : isOwnLine ? own.score : '';
  const reasons = [by === 'score' || by === 'crowd' ? evidence() : '', why].filter(Boolean).join(own.stop);
  return { ...order, sentence: own[action] + colon + reasons + own.stop.trim() };
}

const whyOf = ({ by, signal }: Order, crowd: ShareTier, { order, sheet, signalNames }: ReportWords): string =>
  by === 'score' ? '' : fillWords(order[by], { tier: sheet.tiers[crowd], signal: signal ? signalNames[signal] : '' });

/** Names such as VPN keep their capitals. */
export const lowered = (text: string): string => text.replace(/^[A-Z](?=[a-z])/, (sign) => sign.toLowerCase());

export const ageText = (ageMs: number, { hours, days }: ReportWords['explain']): string =>
  ageMs < 2 * DAY_MS
    ? fillWords(hours, { n: (ageMs / HOUR_MS).toFixed(1) })
    : fillWords(days, { n: (ageMs / DAY_MS).toFixed(1) });

/** Detail of a reason: the time to the minute, the class of the age, or the signals of the basic document alone. */
export type ReasonDetail = 'times' | 'freshness' | 'types';

const CLASSES: Readonly<Record<Freshness, string>> = {
  within_2h: 'within 2 hours',
  within_4h: 'within 4 hours',
  within_12h: 'within 12 hours',
  older: 'more than 12 hours ago',
};

/**
 * Returns what decided for a log or a header, in English and printable ASCII: `proxy, 55 minutes ago, on 7 of 14
 * days`, with what changed the order.
 */
export function reasonOf(order: Order, verdict: Verdict, detail: ReasonDetail = 'times'): string {
  const isByScore = order.by === 'score' || order.by === 'crowd' || order.by === 'tor';
  const why = lowered(whyOf(order, verdict.crowd, wordsEn));
  return [isByScore ? evidenceOf(verdict, detail) : '', why].filter(Boolean).join('; ');
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

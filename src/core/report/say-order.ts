import type { Explanation, IPRisk } from '../../contract/documents.ts';
import { RISK_TYPES } from '../../contract/risk.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { addressOrder } from '../policy/judge.ts';
import type { Order } from '../policy/order.ts';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import { ALLOWED_SCORE } from '../risk/override.ts';
import { crowdOf } from '../risk/share-tier.ts';
import { fillWords } from '../texts/said.ts';
import { DAY_MS, HOUR_MS } from '../units.ts';
import type { ReportWords } from './report-words.ts';

export interface SaidOrder extends Order {
  /** As `Deny: proxy seen 1 h ago, 87. Its network is nobody's shared line.` */
  readonly sentence: string;
}

type Ordered = Pick<IPRisk, 'ip' | 'evidence_state' | 'meta'> & {
  readonly risk: Pick<IPRisk['risk'], 'score' | 'signals'>;
  readonly network?: { readonly usage_type?: string | undefined };
};

/** Returns the order of a policy on a document and its reason. @param known what else its reader may know */
export function sayOrder(
  { ip, risk: { score, signals = [] }, evidence_state: state, network, meta }: Ordered,
  { rows: [top], shared_by: sharedBy }: Pick<Explanation, 'rows' | 'shared_by'>,
  { order: own, sheet, states, signalNames, colon, explain }: ReportWords,
  policy = DEFAULT_POLICY,
): SaidOrder {
  const address = parseAnyAddress(ip)!;
  const crowd = crowdOf({ usageType: network?.usage_type, relay: sharedBy === 'relay' }, address.family);
  const override = meta.override === true && score <= ALLOWED_SCORE ? {} : undefined;
  const order = addressOrder(policy, { score, signals, crowd, sharedBy, override }, address);
  const { action, by, signal } = order;
  const evidence = (): string => {
    if (state !== 'active') return lowered(states[state]);
    const kinds = top ? [top.risk_type] : RISK_TYPES.filter((type) => signals.some((one) => one === type));
    const what = kinds.map((kind) => lowered(sheet.riskTypes[kind])).join(sheet.comma) || lowered(states.active);
    const age = top?.age_ms === undefined ? '' : fillWords(own.seen, { age: ageText(top.age_ms, explain) });
    return what + age.replace('.0', '') + sheet.comma + score;
  };
  const isOwnLine = action !== 'allow' && (crowd === 'T0' || crowd === 'T1');
  const why = by === 'score' ? (isOwnLine ? own.score : '') : own[by];
  const reasons = [by === 'score' || by === 'crowd' ? evidence() : '', why].filter(Boolean).join(own.stop);
  const text = fillWords(reasons, { tier: sheet.tiers[crowd], signal: signal ? signalNames[signal] : '' });
  return { ...order, sentence: own[action] + colon + text + own.stop.trim() };
}

/** Names such as VPN keep their capitals. */
const lowered = (text: string): string => text.replace(/^[A-Z](?=[a-z])/, (sign) => sign.toLowerCase());

export const ageText = (ageMs: number, { hours, days }: ReportWords['explain']): string =>
  ageMs < 2 * DAY_MS
    ? fillWords(hours, { n: (ageMs / HOUR_MS).toFixed(1) })
    : fillWords(days, { n: (ageMs / DAY_MS).toFixed(1) });

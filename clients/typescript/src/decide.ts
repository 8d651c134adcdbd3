import type { IPRisk, PulseIPRisk, Risk } from './openapi.generated.ts';

export type Signal = NonNullable<Risk['signals']>[number];
type Order = 'allow' | 'challenge' | 'deny';
type Tier = PulseIPRisk['share_tier'];

/** Decision about an address. `unknown`: no evidence says anything, which is not a statement of safety. */
export type Action = Order | 'unknown';

export interface Policy {
  /** Score of active evidence from which to challenge, 1 to 100; 101 challenges none. Default 30, where medium begins. */
  readonly challengeFrom?: number;
  /** Score of active evidence from which to deny, 1 to 100; 101 denies none. Default 70, where high begins. */
  readonly denyFrom?: number;
  /**
   * The mildest decision while a signal fires, such as `{ hosting: 'challenge' }`; `allow` ends the question. Those
   * of the network fire without evidence too.
   */
  readonly signals?: Readonly<Partial<Record<Signal, Order>>>;
  /** Decision on a Tor exit, which only a professional document tells. Default `challenge`. */
  readonly tor?: Order;
  /**
   * The strictest decision where so many share an address by its network. Default `challenge` for T2 and T3,
   * `deny` for the others.
   */
  readonly tiers?: Readonly<Partial<Record<Tier, Order>>>;
  /** Evidence existed and has expired. Default `unknown`. */
  readonly stale?: Action;
}

export interface Decision {
  readonly action: Action;
  /** For a log, in a few words; may change. */
  readonly reason: string;
}

type Judged = Pick<IPRisk, 'risk' | 'evidence_state'> &
  Partial<Pick<IPRisk, 'ip' | 'network' | 'degraded'>> &
  Partial<Pick<PulseIPRisk, 'share_tier' | 'evidence'>> & { readonly meta?: { readonly override?: true } };

const CAPS: Readonly<Record<Tier, Order>> = { T0: 'deny', T1: 'deny', T2: 'challenge', T3: 'challenge' };

/**
 * Decision on a verdict under a policy, by the rule of the service (docs/enforcement.md). It reads
 * `evidence_state` before the score, so that a score of 0 is never taken for safe: `allow` means that there is
 * active evidence and that it is weak, or that a list allows the address.
 * @throws TypeError for bounds that cannot be meant
 */
export function decide(verdict: Judged, policy: Policy = {}): Decision {
  const { challengeFrom = 30, denyFrom = 70, signals = {}, tor = 'challenge' } = policy;
  if (!(challengeFrom >= 1 && denyFrom >= 1)) throw new TypeError('challengeFrom and denyFrom must be at least 1.');
  const { risk, evidence_state, meta } = verdict;
  if (meta?.override === true && risk.score <= 1) return { action: 'allow', reason: 'on an allow list' };
  const firing = (risk.signals ?? []).filter((signal) => signals[signal] !== undefined);
  const friend = firing.find((signal) => signals[signal] === 'allow');
  if (friend !== undefined) return { action: 'allow', reason: `allowed as ${friend}` };
  const words = evidenceWords(verdict);
  const crowd = crowdOf(verdict);
  if (crowd === 'tor') return { action: tor, reason: `${words}; Tor exit` };
  const cap = policy.tiers?.[crowd] ?? CAPS[crowd];
  const many = `${words}; many share the address by its network (${crowd})`;
  let decision: Decision = { action: 'unknown', reason: words };
  if (evidence_state === 'stale') decision = { action: policy.stale ?? 'unknown', reason: words };
  else if (evidence_state === 'active') {
    const action = risk.score >= denyFrom ? 'deny' : risk.score >= challengeFrom ? 'challenge' : 'allow';
    const isSpared = action === 'challenge' && crowd === 'T3' && cap !== 'deny';
    decision = isSpared ? { action: 'allow', reason: many } : { action, reason: words };
  }
  for (const signal of firing)
    if (rank(signals[signal]!) > rank(decision.action))
      decision = { action: signals[signal]!, reason: `signal ${signal}` };
  return decision.action !== 'unknown' && rank(decision.action) > rank(cap) ? { action: cap, reason: many } : decision;
}

const STRICTNESS: readonly Action[] = ['allow', 'unknown', 'challenge', 'deny'];
const rank = (action: Action): number => STRICTNESS.indexOf(action);

/** Usage types of networks, by how many people they put behind one address; others count as few. */
const CARRIERS: ReadonlySet<string | undefined> = new Set(['MOB', 'SAT']);
const ALONE: ReadonlySet<string | undefined> = new Set([
  'IDC',
  'DDT',
  'DNS',
  'IXP',
  'NET',
  'BOGON',
  'AUR',
  'RNU',
  'UND',
]);
const SHARED: ReadonlySet<string | undefined> = new Set(['GTW', 'EDU', 'GOV', 'WLA', 'CDN', 'ANY']);

/**
 * How many share the address by its network, or a Tor exit. Evidence raises a sharing tier to T2 at most: T3
 * elsewhere than on a carrier's network is a Tor exit or a relay, and a relay has no evidence of vpn.
 */
function crowdOf({ ip = '', network, share_tier, evidence = [] }: Judged): Tier | 'tor' {
  const isCarrier = CARRIERS.has(network?.usage_type);
  if (share_tier === 'T3' && !isCarrier) return evidence.some(({ risk_type }) => risk_type === 'vpn') ? 'tor' : 'T3';
  if (ip.includes(':')) return 'T1';
  return isCarrier ? 'T3' : SHARED.has(network?.usage_type) ? 'T2' : ALONE.has(network?.usage_type) ? 'T0' : 'T1';
}

/** Words for bands of age, where a document has no exact one. */
const BANDS: Readonly<Record<string, string>> = {
  within_2h: 'within 2 hours',
  within_4h: 'within 4 hours',
  within_12h: 'within 12 hours',
  older: 'more than 12 hours ago',
};

/** Describes the evidence, in a professional document by its strongest row: `proxy, 55 minutes ago, on 7 of 14 days`. */
function evidenceWords({ evidence_state, risk, evidence: [row] = [], degraded }: Judged): string {
  if (evidence_state !== 'active')
    return `${evidence_state === 'stale' ? 'evidence has expired' : 'never seen: no information'}${degraded === true ? ', and a source is missing' : ''}`;
  if (row === undefined) return `active evidence, score ${risk.score}`;
  const { risk_type, freshness, age_min: age, obs_days } = row;
  const when = age === undefined ? BANDS[freshness] : ageWords(age);
  return `${risk_type.replaceAll('_', ' ')}, ${when}, on ${obs_days} of 14 days, score ${risk.score}`;
}

function ageWords(minutes: number): string {
  const [count, unit] =
    minutes < 60 ? [minutes, 'minute'] : minutes < 2880 ? [minutes / 60, 'hour'] : [minutes / 1440, 'day'];
  const whole = Math.floor(count as number);
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ago`;
}

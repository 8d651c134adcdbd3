import type { IPRisk, PulseIPRisk, Risk } from './openapi.generated.ts';

export type Signal = NonNullable<Risk['signals']>[number];
type Measure = 'challenge' | 'deny';

/** Decision about an address. `unknown`: no evidence says anything, which is not a statement of safety. */
export type Action = 'allow' | 'challenge' | 'deny' | 'unknown';

export interface Policy {
  /** Score of active evidence from which to challenge, 1 to 100. Default 30, where medium begins. */
  readonly challengeFrom?: number;
  /** Score of active evidence from which to deny, 1 to 100; 101 denies none. Default 70, where high begins. */
  readonly denyFrom?: number;
  /** Decision on a signal alone, such as `{ hosting: 'challenge' }`. Those of the network fire without evidence too. */
  readonly signals?: Readonly<Partial<Record<Signal, Measure>>>;
  /** Evidence existed and has expired. Default `unknown`. */
  readonly stale?: Action;
  /**
   * A denial of an address that many share becomes a challenge: by its network's usage type or, in a
   * professional document, a Tor exit or relay. Default true.
   */
  readonly spareShared?: boolean;
}

export interface Decision {
  readonly action: Action;
  /** For a log, in a few words; may change. */
  readonly reason: string;
}

type Judged = Pick<IPRisk, 'risk' | 'evidence_state'> &
  Partial<Pick<IPRisk, 'ip' | 'network' | 'degraded'>> &
  Partial<Pick<PulseIPRisk, 'share_tier' | 'evidence'>>;

/**
 * Decision on a verdict under a policy. It reads `evidence_state` before the score, so that a score of 0 is
 * never taken for safe: `allow` means that there is active evidence and that it is weak.
 * @throws TypeError for bounds that cannot be meant
 */
export function decide(verdict: Judged, policy: Policy = {}): Decision {
  const byEvidence = evidenceDecision(verdict, policy);
  const decision = stricter(byEvidence, signalDecision(verdict, policy));
  if (decision.action !== 'deny' || policy.spareShared === false) return decision;
  const sharing = sharingOf(verdict);
  return sharing === undefined
    ? decision
    : { action: 'challenge', reason: `${decision.reason}; many share the address (${sharing})` };
}

/**
 * Usage types of networks that put many people behind one address: carriers, gateways, campuses, governments,
 * hotspots, relays.
 */
const CARRIERS: ReadonlySet<string | undefined> = new Set(['MOB', 'SAT']);
const SHARED: ReadonlySet<string | undefined> = new Set([...CARRIERS, 'GTW', 'EDU', 'GOV', 'WLA', 'CDN', 'ANY']);

/**
 * The fact that says that many share an address. A sharing tier that evidence raised is not one: proxy
 * evidence makes every address T2, and the exit of a proxy is the address to refuse. Few people share an IPv6
 * address, so there only the T3 of Tor and relays counts.
 */
function sharingOf({ ip = '', network, share_tier }: Judged): string | undefined {
  const usage = network?.usage_type;
  if (!ip.includes(':') && SHARED.has(usage)) return usage;
  return share_tier === 'T3' && !CARRIERS.has(usage) ? share_tier : undefined;
}

function evidenceDecision({ evidence_state, risk, evidence, degraded }: Judged, policy: Policy): Decision {
  const { challengeFrom = 30, denyFrom = 70 } = policy;
  if (!(challengeFrom >= 1 && denyFrom >= challengeFrom))
    throw new TypeError('challengeFrom must be at least 1 and denyFrom at least challengeFrom.');
  if (evidence_state === 'active') {
    const reason = `${evidenceWords(evidence)}, score ${risk.score}`;
    return { action: risk.score >= denyFrom ? 'deny' : risk.score >= challengeFrom ? 'challenge' : 'allow', reason };
  }
  const missing = degraded === true ? ', and a source is missing' : '';
  if (evidence_state === 'stale')
    return { action: policy.stale ?? 'unknown', reason: `evidence has expired${missing}` };
  return { action: 'unknown', reason: `never seen: no information${missing}` };
}

/** Words for bands of age, where a document has no exact one. */
const BANDS: Readonly<Record<string, string>> = {
  within_2h: 'within 2 hours',
  within_4h: 'within 4 hours',
  within_12h: 'within 12 hours',
  older: 'more than 12 hours ago',
};

/** The strongest evidence of a professional document, such as `proxy, 55 minutes ago, on 7 of 14 days`. */
function evidenceWords([row]: NonNullable<Judged['evidence']> = []): string {
  if (row === undefined) return 'active evidence';
  const { risk_type, freshness, age_min: age, obs_days } = row;
  const when = age === undefined ? BANDS[freshness] : ageWords(age);
  return `${risk_type.replaceAll('_', ' ')}, ${when}, on ${obs_days} of 14 days`;
}

function ageWords(minutes: number): string {
  const [count, unit] =
    minutes < 60 ? [minutes, 'minute'] : minutes < 2880 ? [minutes / 60, 'hour'] : [minutes / 1440, 'day'];
  const whole = Math.floor(count as number);
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ago`;
}

function signalDecision({ risk }: Judged, { signals = {} }: Policy): Decision | undefined {
  const firing = (risk.signals ?? []).filter((signal) => signals[signal] !== undefined);
  const worst = firing.find((signal) => signals[signal] === 'deny') ?? firing[0];
  return worst === undefined ? undefined : { action: signals[worst]!, reason: `signal ${worst}` };
}

const STRICTNESS: readonly Action[] = ['allow', 'unknown', 'challenge', 'deny'];

const stricter = (one: Decision, other: Decision | undefined): Decision =>
  other !== undefined && STRICTNESS.indexOf(other.action) > STRICTNESS.indexOf(one.action) ? other : one;

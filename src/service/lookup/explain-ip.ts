import type { Explanation as ExplanationDocument, ExplainedRow as RowDocument } from '../../contract/documents.ts';
import type { RiskType } from '../../contract/risk.ts';
import { ceilTo, coarseCaptures, floorTo } from '../../core/evidence/drop-duplicates.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress, formatPrefix } from '../../core/ip/format-address.ts';
import { remaining } from '../../core/risk/decay.ts';
import { type Explanation, type ExplanationRow, explain, isOsintCapped } from '../../core/risk/explain.ts';
import { knownGoodCapOf } from '../../core/risk/known-good.ts';
import { ALLOWED_SCORE } from '../../core/risk/override.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { baseTier, raisingTypes } from '../../core/risk/share-tier.ts';
import { HOUR_MS, type UnixMs } from '../../core/units.ts';
import { isoTime } from '../iso-time.ts';
import { describeOverride } from '../overrides/overrides.ts';
import type { DerivationNote, LookupView } from '../ports.ts';

export interface ExplainQuery {
  readonly view: LookupView;
  readonly address: Address;
  readonly account: { readonly dpa: boolean; readonly operator?: boolean };
  readonly at: UnixMs;
  readonly observations: readonly Observation[];
  readonly notes?: readonly DerivationNote[];
}

/**
 * Explains a verdict (decisions 10.3): rows whose strengths make the score, bounds that hold it, when it leaves
 * its levels, and how the sharing tier comes about. Without a data-processing agreement ages are in whole hours
 * and times of captures are withheld; sources are named to operators.
 */
export function explainIp(question: ExplainQuery): ExplanationDocument {
  const { view, address, account, at, notes = [] } = question;
  const found = explanationOf(question, question.observations, at);
  const { verdict, knownGood } = found;
  const { override, sharedBy } = verdict;
  const rows = [...found.rows].sort((a, b) => b.strength - a.strength || b.capturedAt - a.capturedAt);
  return {
    ip: formatAddress(address),
    computed_at: isoTime(at),
    score: verdict.score,
    level: verdict.level,
    evidence_state: verdict.state,
    parameters_version: SCORE_PARAMETERS.version,
    rows: rows.map((row) => rowOf(row, question)),
    caps: capsOf(found),
    leaves: leavesOf(found, question),
    share_tier: tierOf(found, question),
    ...(sharedBy !== undefined && { shared_by: sharedBy }),
    ...(knownGood !== undefined && { known_as: knownGood }),
    ...(override !== undefined && {
      overridden: withoutReason({ id: override.id, ...describeOverride(override) }, account),
    }),
    ...(notes.length > 0 && { derived: notes.map((note) => derivedOf(note, account)) }),
    ...(!account.dpa && { professional_degraded: 'dpa_required' as const }),
    meta: { data_version: view.dataVersion, ...(override !== undefined && { override: true as const }) },
  };
}

const explanationOf = (
  { view, address }: ExplainQuery,
  observations: readonly Observation[],
  instant: UnixMs,
  shield = knownGoodCapOf(view.protection, address),
): Explanation => explain(observations, view.network(address), address.family, instant, SCORE_PARAMETERS, shield);

function rowOf(row: ExplanationRow, { at, account: { dpa, operator } }: ExplainQuery): RowDocument {
  // Ages of whole hours keep the minute of a capture from being computed out of a strength.
  const ageMs = dpa ? row.ageMs : floorTo(at, HOUR_MS) - floorTo(row.capturedAt, HOUR_MS);
  const left = row.strength === 0 ? 0 : remaining(ageMs, row.windowMs, row.delta);
  return {
    risk_type: row.riskType,
    ...(dpa && { captured_at: isoTime(row.capturedAt), age_ms: row.ageMs }),
    obs_days: row.observedDays,
    base: row.base,
    prefix_bits: row.prefixBits,
    weight: row.weight,
    strength_max: row.strengthMax,
    window_ms: row.windowMs,
    delta: row.delta,
    remaining: left,
    strength: dpa ? row.strength : Math.min(row.strengthMax, row.base * row.weight * left),
    ...(dpa && { expires_at: isoTime(row.expiresAt) }),
    ...(operator === true && { seen_by: row.sources }),
  };
}

function capsOf({ rows, verdict, knownGood }: Explanation): ExplanationDocument['caps'] {
  const { override } = verdict;
  const isAllowed = override !== undefined && override.deny === undefined;
  const service = knownGood?.scanner === true ? 'research_scanner' : 'known_service';
  return [
    ...(isOsintCapped(rows, SCORE_PARAMETERS)
      ? [{ by: 'osint' as const, max: Math.round(100 * SCORE_PARAMETERS.osintCap) }]
      : []),
    ...(rows.some(({ atGateway }) => atGateway)
      ? [{ by: 'gateway' as const, max: Math.round(100 * SCORE_PARAMETERS.claimMax) }]
      : []),
    ...(knownGood === undefined ? [] : [{ by: service, max: SCORE_PARAMETERS.knownGoodMax } as const]),
    ...(isAllowed ? [{ by: 'override' as const, max: ALLOWED_SCORE }] : []),
  ];
}

/**
 * Returns when the score leaves its present levels. Without an agreement the instants follow from captures and
 * overrides moved to their hour: the first whole hour at which the true score has certainly left the level.
 */
function leavesOf(exact: Explanation, question: ExplainQuery): ExplanationDocument['leaves'] {
  const { view, address, account, at, observations } = question;
  const resolutionMs = account.dpa ? 1 : HOUR_MS;
  const shield = knownGoodCapOf(view.protection, address);
  const hour = floorTo(at, resolutionMs);
  // An override of this very hour is in force now, even if it was not when the hour began.
  const ofHour = shield && { ...shield, override: (instant: UnixMs) => shield.override?.(instant < at ? at : instant) };
  const shown = account.dpa ? exact : explanationOf(question, coarseCaptures(observations, resolutionMs), hour, ofHour);
  const ends = [
    { level: 'high', exactly: exact.below70At, at: shown.below70At },
    { level: 'medium', exactly: exact.below30At, at: shown.below30At },
    { level: 'low', exactly: exact.zeroAt, at: shown.zeroAt },
  ] as const;
  return ends.flatMap(({ level, exactly, at: end }) =>
    exactly === undefined ? [] : [{ level, at: isoTime(ceilTo((end ?? hour) + resolutionMs - 1, resolutionMs)) }],
  );
}

function tierOf({ verdict }: Explanation, { view, address }: ExplainQuery): ExplanationDocument['share_tier'] {
  const { usageType } = view.network(address);
  const active = verdict.evidence.filter(({ strength }) => strength > 0).map(({ riskType }) => riskType);
  const base = baseTier({ usageType });
  const tier = verdict.shareTier;
  const isShared = tier === 'T3' && base !== 'T3';
  return { tier, base, raised_by: isShared ? [verdict.sharedBy ?? 'tor'] : raisingTypes({ usageType, active }) };
}

type Overridden = NonNullable<ExplanationDocument['overridden']>;

/** Reasons of operators may name customers or cases. */
function withoutReason(override: Overridden, { operator }: ExplainQuery['account']): Overridden {
  if (operator === true) return override;
  const { id: _id, reason: _reason, ...shown } = override;
  return shown;
}

const RULES: Partial<Record<RiskType, string>> = {
  proxy:
    'Residential pool neighbourhood: a list named many proxy bots of this network on one day. It counts where nothing else does.',
  hijacked_proxy:
    'It attacked own sensors while lists named it a proxy, or a list of proxy bots names it, on space of subscribers.',
  dialup_pool: 'One actor went on from address to address of one network within minutes.',
  ipv6_range: 'Several addresses of this prefix were captured within a day.',
};

function derivedOf(
  { riskType, prefix, at, reason, sources }: DerivationNote,
  { dpa, operator }: ExplainQuery['account'],
): NonNullable<ExplanationDocument['derived']>[number] {
  return {
    risk_type: riskType,
    prefix: formatPrefix(prefix),
    ...(dpa && { at: isoTime(at) }),
    reason: operator === true ? reason : (RULES[riskType] ?? 'It follows from several captures together.'),
    ...(operator === true && { seen_by: sources }),
  };
}

import {
  type Freshness,
  type Level,
  RISK_TYPES,
  type RiskType,
  type ShareTier,
  SIGNALS,
  type Signal,
} from '../../contract/risk.ts';
import { RISK_TYPE_ROWS } from '../../contract/risk-types.ts';
import { alignDays, countDays } from '../evidence/fold-observations.ts';
import type { Observation } from '../evidence/observation.ts';
import { HOUR_MS, type UnixMs } from '../units.ts';
import type { KnownGoodCap, KnownGoodSet } from './known-good.ts';
import { ALLOWED_SCORE, type Override, withDenial } from './override.ts';
import type { ScoreParameters } from './parameters.ts';
import { crowdOf, type NetworkSignals, shareTier } from './share-tier.ts';
import { type CaptureWeight, daysOf, newestOf, typeWindows, type WeighOptions, weigh } from './weigh.ts';

/**
 * A strength of 0 means that the evidence has expired. `obsDays`: observed days among the 14 UTC dates ending with
 * the date of the instant, 0..14.
 */
export interface VerdictRow {
  readonly riskType: RiskType;
  readonly freshness: Freshness;
  readonly obsDays: number;
  readonly capturedAt: UnixMs;
  readonly ageMs: number;
  readonly strength: number;
}

/**
 * - `sharedBy`: active evidence of a Tor exit, or else a published private-relay range.
 * - `pools`: sorted; never published unchanged.
 */
interface Common {
  readonly signals: readonly Signal[];
  readonly shareTier: ShareTier;
  readonly crowd: ShareTier;
  readonly sharedBy: Observation['sharedBy'];
  readonly pools: readonly string[];
  readonly override: Override | undefined;
}

/**
 * The answer at one instant. A stale or unseen address always has score 0, and an active one at least 1; the
 * type excludes other combinations.
 */
export type Verdict = Common &
  (
    | {
        readonly state: 'active';
        readonly score: number;
        readonly level: 'low' | 'medium' | 'high';
        readonly evidence: readonly [VerdictRow, ...VerdictRow[]];
      }
    | {
        readonly state: 'stale';
        readonly score: 0;
        readonly level: 'none';
        readonly evidence: readonly [VerdictRow, ...VerdictRow[]];
      }
    | { readonly state: 'none'; readonly score: 0; readonly level: 'none'; readonly evidence: readonly [] }
  );

/** none 0, low 1–29, medium 30–69, high 70–100 (interface, "Risk object"). */
export const levelOf = (score: number): Level =>
  score >= 70 ? 'high' : score >= 30 ? 'medium' : score >= 1 ? 'low' : 'none';

/** The bounds are inclusive: exactly two hours is within_2h. */
export const freshnessOf = (ageMs: number): Freshness =>
  ageMs <= 2 * HOUR_MS
    ? 'within_2h'
    : ageMs <= 4 * HOUR_MS
      ? 'within_4h'
      : ageMs <= 12 * HOUR_MS
        ? 'within_12h'
        : 'older';

/**
 * Returns the verdict on one address at one instant. It depends only on captures up to the instant, network
 * data, parameters and the instant (decisions 2, docs/score.md).
 * @param observations as `foldObservations` returns them; captures after the instant are ignored
 * @param network current network data of the address
 * @param family of the address
 * @param cap protection of the address; undefined for none
 */
export function verdict(
  observations: readonly Observation[],
  network: NetworkSignals,
  family: 4 | 6,
  at: UnixMs,
  parameters: ScoreParameters,
  cap?: KnownGoodCap,
): Verdict {
  const override = cap?.override?.(at);
  const seen = withDenial(observations, override, family, at);
  const rows: WeighedRow[] = seen.length === 0 ? [] : rowsOf(seen, { network, family, at, parameters });
  let signalBits = networkBits(network);
  let sharedBy: Observation['sharedBy'] = network.relay ? 'relay' : undefined;
  const { usageType } = network;
  const crowd = crowdOf(network, family);
  if (rows.length === 0) {
    return {
      state: 'none',
      score: 0,
      level: 'none',
      evidence: NO_ROWS,
      signals: signalsOf(signalBits),
      shareTier: shareTier({ family, usageType, active: NO_TYPES, sharedBy }),
      crowd,
      sharedBy,
      pools: NO_POOLS,
      override,
    };
  }
  if (rows.length > 1) rows.sort(strongestThenNewest);
  const active: RiskType[] = [];
  let pools: readonly string[] = NO_POOLS;
  for (const row of rows) {
    if (row.strength === 0) continue;
    active.push(row.riskType);
    if (!row.nearby) signalBits |= SIGNAL_BIT[row.riskType];
    if (sharedBy !== 'tor') sharedBy = row.sharedBy ?? sharedBy;
    if (row.pools.length > 0) pools = pools.length === 0 ? row.pools : unite(pools, row.pools);
  }
  const safe = rows.length === 1 ? 1 - rows[0]!.strength : noneHolds(rows);
  const common = {
    signals: signalsOf(signalBits),
    shareTier: shareTier({ family, usageType, active, sharedBy }),
    crowd,
    sharedBy,
    pools,
    evidence: rows as unknown as readonly [VerdictRow, ...VerdictRow[]],
    override,
  };
  if (active.length === 0) return { state: 'stale', score: 0, level: 'none', ...common };
  const uncapped = Math.min(100, Math.max(1, Math.round(100 * (1 - safe))));
  const max = parameters.knownGoodMax;
  const isAllowed = override !== undefined && override.deny === undefined;
  const score = isAllowed
    ? ALLOWED_SCORE
    : uncapped > max && knownGoodSetOf(seen, cap, at, parameters) !== undefined
      ? max
      : uncapped;
  return { state: 'active', score, level: levelOf(score) as 'low' | 'medium' | 'high', ...common };
}

/**
 * Returns the list that names the address as a known service or research scanner, unless own collection is
 * active there. For a scanner, scans seen by own collection do not count. Lists alone never raise such an
 * address above low.
 */
export function knownGoodSetOf(
  observations: readonly Observation[],
  cap: KnownGoodCap | undefined,
  at: UnixMs,
  parameters: ScoreParameters,
): KnownGoodSet | undefined {
  const set = cap?.knownGood(at);
  if (set === undefined) return undefined;
  const past = observations.filter(({ capturedAt }) => capturedAt <= at);
  const validities = typeWindows(past, parameters);
  const seenByUs = past.some(
    ({ source, riskType, capturedAt }) =>
      cap!.isOwn(source) &&
      !(set.scanner === true && riskType === 'honeypot_scan') &&
      at - capturedAt < validities.get(riskType)!.windowMs,
  );
  return seenByUs ? undefined : set;
}

/**
 * Complement of the noisy-OR. Factors are multiplied in the order of the type table, so that the order of
 * observations cannot change the last bit.
 */
function noneHolds(rows: readonly WeighedRow[]): number {
  let safe = 1;
  for (const type of RISK_TYPES) for (const row of rows) if (row.riskType === type) safe *= 1 - row.strength;
  return safe;
}

export const networkSignals = (network: NetworkSignals): readonly Signal[] => signalsOf(networkBits(network));

const networkBits = (network: NetworkSignals): number =>
  (network.hosting ? HOSTING : 0) | (network.mobile ? MOBILE : 0) | (network.crawler ? CRAWLER : 0);

interface WeighedRow extends VerdictRow {
  readonly pools: readonly string[];
  readonly sharedBy: Observation['sharedBy'];
  /** A claim about the neighbourhood: nobody saw this address in proxy supply, so it fires no signal. */
  readonly nearby: boolean;
}

const strongestThenNewest = (a: WeighedRow, b: WeighedRow): number =>
  b.strength - a.strength ||
  b.capturedAt - a.capturedAt ||
  RISK_TYPES.indexOf(a.riskType) - RISK_TYPES.indexOf(b.riskType);

function rowsOf(observations: readonly Observation[], weighing: WeighOptions): WeighedRow[] {
  const rows: WeighedRow[] = [];
  const osint: CaptureWeight[] = [];
  for (const group of weigh(observations, weighing)) {
    if (group.riskType === 'osint') osint.push(group);
    else {
      const nearby = weighing.parameters.neighbourhoods.includes(group.strongest.source);
      rows.push(rowOf(group.riskType, group.observations, group.strength, weighing.at, nearby));
    }
  }
  if (osint.length > 0) rows.push(osintRow(osint, weighing));
  return rows;
}

/**
 * Combines the listing families of osint by noisy-OR with a cap. Each family decays on its own; the row's
 * capture is the newest one.
 */
function osintRow(families: readonly CaptureWeight[], { at, parameters }: WeighOptions): WeighedRow {
  const [first] = families;
  if (families.length === 1) return rowOf('osint', first!.observations, first!.strength, at);
  // Sorted, so that the order of families cannot change the last bit.
  const strengths = families.map(({ strength }) => strength).sort((a, b) => a - b);
  let safe = 1;
  for (const strength of strengths) safe *= 1 - strength;
  const all = families.flatMap(({ observations }) => observations);
  return rowOf('osint', all, Math.min(parameters.osintCap, 1 - safe), at);
}

/**
 * @param observations captures that count. A pool last seen 14 dates or more before the newest of them is
 * dropped, and a new capture does not revive it
 */
function rowOf(
  riskType: RiskType,
  observations: readonly Observation[],
  strength: number,
  at: UnixMs,
  nearby = false,
): WeighedRow {
  const newest = newestOf(observations);
  const { capturedAt } = newest;
  const days = observations.length === 1 ? newest.days : daysOf(observations);
  const recent =
    observations.length === 1
      ? observations
      : observations.filter((row) => alignDays(row.days, row.capturedAt, capturedAt) !== 0);
  const ageMs = at - capturedAt;
  return {
    riskType,
    freshness: freshnessOf(ageMs),
    obsDays: countDays(alignDays(days, capturedAt, at)),
    capturedAt,
    ageMs,
    strength,
    pools: recent.length === 1 ? recent[0]!.pools : [...new Set(recent.flatMap(({ pools }) => pools))].sort(),
    sharedBy: recent.find(({ sharedBy }) => sharedBy !== undefined)?.sharedBy,
    nearby,
  };
}

const NO_TYPES: readonly RiskType[] = [];
const NO_ROWS: readonly [] = [];
const NO_POOLS: readonly string[] = [];

const unite = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])].sort();

const bitOf = (signal: Signal): number => 1 << SIGNALS.indexOf(signal);
const HOSTING = bitOf('hosting');
const MOBILE = bitOf('mobile');
const CRAWLER = bitOf('crawler');

const SIGNAL_BIT = Object.fromEntries(
  RISK_TYPES.map((type) => [type, RISK_TYPE_ROWS[type].signal ? bitOf(type as Signal) : 0]),
) as Readonly<Record<RiskType, number>>;

const signalSets: (readonly Signal[] | undefined)[] = [];

/** Returns the sorted list for a set of signals. Lists are made once and shared; there are at most 1,024. */
function signalsOf(bits: number): readonly Signal[] {
  const known = signalSets[bits];
  if (known !== undefined) return known;
  const made = Object.freeze(SIGNALS.filter((_, index) => (bits & (1 << index)) !== 0).sort());
  signalSets[bits] = made;
  return made;
}

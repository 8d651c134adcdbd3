/**
 * A second, naive implementation of the score contract (docs/score.md, decisions of the interface) over plain
 * captures, written apart from src/core so that the service can be held to the text. It knows single
 * addresses and prefixes, every risk type, families of osint, observed days and the freshness bounds.
 */
import type { RiskType } from '../../src/contract/risk.ts';

export interface PlainCapture {
  readonly riskType: RiskType;
  readonly at: number;
  readonly source: string;
  readonly bits: number;
  readonly pool?: string;
}

export interface ExpectedRow {
  readonly risk_type: RiskType;
  readonly freshness: string;
  readonly obs_days: number;
  readonly captured_at: string;
  readonly age_min: number;
}

export interface ExpectedVerdict {
  readonly score: number;
  readonly level: string;
  readonly state: string;
  readonly evidence: readonly ExpectedRow[];
  readonly signals: readonly string[];
  readonly pools: readonly string[];
}

const DAY = 86_400_000;

const TABLE: Readonly<Record<RiskType, readonly [base: number, windowDays: number, delta: number, c: number]>> = {
  proxy: [0.92, 14, 2, 1],
  vpn: [0.65, 30, 0.5, 0],
  dialup_pool: [0.85, 2, 2, 1],
  hijacked_proxy: [0.95, 7, 2, 1],
  cloud_service: [0.35, 30, 0.5, 0],
  cloud_phone: [0.8, 14, 1, 1],
  osint: [0.28, 30, 1, 0],
  honeypot_scan: [0.45, 14, 2, 1],
  honeypot_credential: [0.8, 14, 2, 1],
  ipv6_range: [0.4, 7, 2, 1],
};
const SLUGS = ['proxy', 'vpn', 'dialup_pool', 'hijacked_proxy', 'osint', 'cloud_service', 'cloud_phone'];

const dateOf = (at: number): number => Math.floor(at / DAY);
const daysBefore = (captures: readonly PlainCapture[], at: number): number =>
  new Set(captures.map((one) => dateOf(one.at)).filter((date) => date <= dateOf(at) && date > dateOf(at) - 14)).size;
const newestOf = (captures: readonly PlainCapture[]): number => Math.max(...captures.map((one) => one.at));

function windowOf(type: RiskType, captures: readonly PlainCapture[]): number {
  const [, windowDays, , c] = TABLE[type];
  return windowDays * DAY * (1 + (c * (daysBefore(captures, newestOf(captures)) - 1)) / 13);
}

function strengthOf(
  type: RiskType,
  captures: readonly PlainCapture[],
  at: number,
  window: number,
  usage?: string,
): number {
  const [base, , delta] = TABLE[type];
  const weight = type === 'ipv6_range' ? rangeWeight : widthWeight;
  const single = new Set(captures.map((one) => `${one.source} ${dateOf(one.at)}`)).size === 1;
  const most = type === 'proxy' && single && (usage === 'CDN' || usage === 'GTW') ? 0.29 : 1;
  const strongest = Math.max(
    0,
    ...captures
      .filter((one) => at - one.at < window)
      .map((one) => base * weight(one.bits) * (1 - ((at - one.at) / window) ** (1 / delta))),
  );
  return Math.min(most, strongest);
}

const rangeWeight = (bits: number): number => (bits >= 64 ? 1 : bits >= 56 ? 0.6 : bits >= 48 ? 0.35 : 0.1);
/** Covers IPv4 prefixes, which are the only ones here that are not ipv6_range. */
const widthWeight = (bits: number): number => (bits >= 25 ? 1 : bits === 24 ? 0.8 : bits >= 20 ? 0.5 : 0.25);

/** @param usage the network's usage type */
export function expectedVerdict(all: readonly PlainCapture[], at: number, usage?: string): ExpectedVerdict {
  const seen = all.filter((one) => one.at <= at);
  const windows = Object.fromEntries(
    (Object.keys(TABLE) as RiskType[]).map((type) => {
      const captures = seen.filter(({ riskType }) => riskType === type);
      return [type, captures.length === 0 ? 0 : windowOf(type, captures)];
    }),
  ) as Record<RiskType, number>;
  const exits = new Set(
    seen
      .filter(({ riskType, at: time }) => (riskType === 'proxy' || riskType === 'vpn') && at - time < windows[riskType])
      .map(({ source }) => source),
  );
  const rows = (Object.keys(TABLE) as RiskType[]).flatMap((type) => {
    const captures = seen.filter((one) => one.riskType === type && !(type === 'osint' && exits.has(one.source)));
    if (captures.length === 0) return [];
    const newest = newestOf(captures);
    let strength: number;
    if (type === 'osint') {
      const families = [...new Set(captures.map(({ source }) => source))];
      let safe = 1;
      for (const family of families)
        safe *=
          1 -
          strengthOf(
            type,
            captures.filter(({ source }) => source === family),
            at,
            windows[type],
          );
      strength = Math.min(0.9, 1 - safe);
    } else {
      strength = strengthOf(type, captures, at, windows[type], usage);
    }
    return [{ type, captures, newest, strength }];
  });
  const active = rows.filter(({ strength }) => strength > 0);
  const sum = 1 - active.reduce((safe, { strength }) => safe * (1 - strength), 1);
  const score = active.length === 0 ? 0 : Math.min(100, Math.max(1, Math.round(100 * sum)));
  return {
    score,
    level: score === 0 ? 'none' : score < 30 ? 'low' : score < 70 ? 'medium' : 'high',
    state: active.length > 0 ? 'active' : rows.length > 0 ? 'stale' : 'none',
    evidence: rows
      .sort((a, b) => b.strength - a.strength || b.newest - a.newest)
      .map(({ type, captures, newest }) => ({
        risk_type: type,
        freshness: freshnessOf(at - newest),
        obs_days: daysBefore(captures, at),
        captured_at: new Date(newest).toISOString(),
        age_min: Math.round((at - newest) / 60) / 1000,
      })),
    signals: active
      .map(({ type }) => type as string)
      .filter((type) => SLUGS.includes(type))
      .sort(),
    pools: [
      ...new Set(
        active.flatMap(({ captures, newest }) =>
          captures.filter((one) => dateOf(one.at) > dateOf(newest) - 14).flatMap(({ pool }) => pool ?? []),
        ),
      ),
    ],
  };
}

function freshnessOf(age: number): string {
  const hours = age / 3_600_000;
  return hours <= 2 ? 'within_2h' : hours <= 4 ? 'within_4h' : hours <= 12 ? 'within_12h' : 'older';
}

import type { Evidence, Signal } from '../contract/risk.ts';
import type { Observation } from '../core/evidence/capture.ts';
import type { Address } from '../core/ip/address.ts';
import { formatAddress } from '../core/ip/format-address.ts';
import { SCORE_PARAMETERS } from '../core/risk/parameters.ts';
import { type Verdict, type VerdictRow, verdict } from '../core/risk/verdict.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../core/units.ts';
import { isoTime } from './iso-time.ts';
import { isNetworkKnown, riskJson } from './lookup-ip.ts';
import { poolHandle } from './pool-handle.ts';
import type { HistoryStore, LookupView } from './ports.ts';
import { Problem } from './problem.ts';

/** Days of answerable past unless the account's contract says otherwise. */
export const HISTORY_DAYS = 30;

export interface PulseRequest {
  readonly address: Address;
  /** The `at` parameter, read by `parseRfc3339`; undefined: live. */
  readonly at?: UnixMs | undefined;
  /** Read after `view` was taken, so that no capture in the view is newer. */
  readonly now: UnixMs;
  readonly view: LookupView;
  /** Undefined: this deployment keeps no history. */
  readonly history: Pick<HistoryStore, 'observationsAt' | 'earliest'> | undefined;
  readonly account: { readonly id: string; readonly dpa: boolean; readonly historyDays?: number };
  /** Keys the pool handles. */
  readonly secret: string;
}

/**
 * The body of GET /pulse/v1/ip/{ip} as finished JSON text. The caller has checked key, tier and address; nothing here is charged.
 * With `at`, score, level, evidence_state, share_tier, evidence and resource_pools are of that moment; risk.signals, network and geo are today's.
 * No refused request falls back to a live verdict.
 * @returns undefined when the address is in no geolocation, network or evidence data at all (not_found); judged on current data also with `at`
 * @throws Problem invalid_time, history_not_enabled, history_no_ipv6, at_out_of_window, history_unavailable
 */
export function lookupPulse(request: PulseRequest): string | undefined | Promise<string | undefined> {
  return request.at === undefined ? render(request, request.now, undefined) : lookupPast(request, request.at);
}

async function lookupPast(request: PulseRequest, at: UnixMs): Promise<string | undefined> {
  const { address, now, account, history } = request;
  if (at > now) throw new Problem('invalid_time');
  if (history === undefined) throw new Problem('history_not_enabled');
  if (address.family === 6) throw new Problem('history_no_ipv6');
  const from = windowFrom(now, account.historyDays, await read(() => history.earliest()));
  if (at < from) throw new Problem('at_out_of_window', { extras: { window_from: isoTime(from) } });
  return render(request, at, await read(() => history.observationsAt(address, at)));
}

/** @param past what was known at `at`; undefined: the live answer */
function render({ view, address, account, now, secret }: PulseRequest, at: UnixMs, past: readonly Observation[] | undefined): string | undefined {
  const network = view.network(address);
  const live = view.observations(address);
  const geo = view.geoJson(address);
  if (geo === undefined && network.json === undefined && live.length === 0 && !isNetworkKnown(network)) return undefined;
  const answer = verdict(past ?? live, network, address.family, at, SCORE_PARAMETERS);
  const signals: readonly Signal[] = past === undefined ? answer.signals : verdict(live, network, address.family, now, SCORE_PARAMETERS).signals;
  let text = `{"ip":"${formatAddress(address)}","risk":${riskJson(answer.score, signals)},"evidence_state":"${answer.state}","computed_at":"${isoTime(at)}"`;
  text += `,"share_tier":"${answer.shareTier}","evidence":${JSON.stringify(evidenceOf(answer, account.dpa))}`;
  if (answer.pools.length > 0) text += `,"resource_pools":${JSON.stringify(answer.pools.map((pool) => poolHandle(secret, account.id, pool)).sort())}`;
  if (!account.dpa) text += ',"professional_degraded":"dpa_required"';
  if (network.json !== undefined) text += `,"network":${network.json}`;
  if (geo !== undefined) text += `,"geo":${geo}`;
  return `${text},"meta":{"data_version":${JSON.stringify({ risk: view.dataVersion.risk, geo: view.dataVersion.geo })}}}`;
}

/** Whatever goes wrong inside the store is one thing to the caller: the past cannot be read now. */
async function read<T>(from: () => T | Promise<T>): Promise<T> {
  try {
    return await from();
  } catch (cause) {
    throw new Problem('history_unavailable', { cause });
  }
}

/**
 * Earliest answerable moment: the later of the account's history window before now and the earliest capture held. Where nothing is held yet the window
 * alone counts: every moment in it is answered with what is known, which is nothing.
 */
export function windowFrom(now: UnixMs, historyDays: number | undefined, earliest: UnixMs | undefined): UnixMs {
  const contract = now - (historyDays ?? HISTORY_DAYS) * DAY_MS;
  return unixMs(Math.max(contract, earliest ?? contract));
}

/** The published rows: five keys, the two exact times only under a data-processing agreement. */
export const evidenceOf = (answer: Verdict, dpa: boolean): readonly Evidence[] => answer.evidence.map((row) => rowOf(row, dpa));

function rowOf({ riskType, freshness, obsDays, capturedAt, ageMs }: VerdictRow, dpa: boolean): Evidence {
  const row = { risk_type: riskType, freshness, obs_days: obsDays };
  return dpa ? { ...row, captured_at: isoTime(capturedAt), age_min: Math.round((1000 * ageMs) / MINUTE_MS) / 1000 } : row;
}

import type { Evidence } from '../../contract/documents.ts';
import type { Signal } from '../../contract/risk.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { knownGoodCapOf } from '../../core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { type Verdict, type VerdictRow, verdict } from '../../core/risk/verdict.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { isoTime } from '../iso-time.ts';
import { HISTORY_DAYS, type HistoryPast, isDegraded, type LookupView, type NetworkFacts } from '../ports.ts';
import { Problem } from '../problem.ts';
import {
  type DocumentHead,
  hasOverride,
  isNetworkKnown,
  metaOf,
  riskJson,
  unseenRisk,
  untilTime,
} from './lookup-ip.ts';
import { PoolHandles, type PoolOptions } from './pool-handles.ts';

export interface PulseQuery {
  /** Taken before `now` was read, so that no capture in it is newer than now. */
  readonly view: LookupView;
  readonly address: Address;
  readonly account: { readonly id: string; readonly dpa: boolean; readonly historyDays?: number };
  readonly now: UnixMs;
  readonly moment: UnixMs | undefined;
}

/** With a moment, `degraded` (the header X-Pulse-Degraded) speaks of that moment. */
export interface PulseText {
  readonly json: string;
  readonly degraded: boolean;
}

/**
 * The professional lookup, GET /pulse/v1/ip/{ip}; the caller has checked key, tier and address. With a
 * moment, score, level, evidence_state, share_tier, evidence and resource_pools are of that moment;
 * risk.signals, network and geo are current.
 */
export class PulseLookup {
  readonly #history: HistoryPast | undefined;
  readonly #pools: PoolHandles;

  constructor({ history, ...pools }: PoolOptions & { readonly history: HistoryPast | undefined }) {
    this.#history = history;
    this.#pools = new PoolHandles(pools);
  }

  /**
   * Checks the rules of `at` that depend on the deployment. No refused request is charged or falls back to a
   * live verdict.
   */
  async checkMoment(question: PulseQuery & { readonly moment: UnixMs }): Promise<void> {
    const history = this.#history;
    if (history === undefined) throw new Problem('history_not_enabled');
    if (question.address.family === 6) throw new Problem('history_no_ipv6');
    const from = windowFrom(question.now, question.account.historyDays, await readHistory(() => history.earliest()));
    if (question.moment < from) throw new Problem('at_out_of_window', { extras: { window_from: isoTime(from) } });
  }

  /**
   * Returns the document, judged on current data also with a moment; undefined means not_found. Call
   * `checkMoment` first.
   */
  lookup(question: PulseQuery): PulseText | undefined | Promise<PulseText | undefined> {
    return question.moment === undefined ? this.lookupNow(question) : this.#past(question, question.moment);
  }

  lookupNow(question: Omit<PulseQuery, 'moment'>): PulseText | undefined {
    return this.#render(question, question.now, undefined);
  }

  async #past(question: PulseQuery, moment: UnixMs): Promise<PulseText | undefined> {
    const history = this.#history;
    if (history === undefined) throw new Problem('history_not_enabled');
    const past = await readHistory(() => history.observationsAt(question.address, moment));
    const degraded = isDegraded(await readHistory(() => history.leftOutAt(moment)));
    const answer = this.#render(question, moment, past);
    return answer && { ...answer, degraded };
  }

  #render(
    { view, address, account, now }: Omit<PulseQuery, 'moment'>,
    at: UnixMs,
    past: readonly Observation[] | undefined,
  ): PulseText | undefined {
    const network = view.network(address);
    const live = view.observations(address);
    const geo = view.geoJson(address);
    if (!isOnRecord(view, address, now)) return undefined;
    const shield = knownGoodCapOf(view.protection, address);
    const answer = verdict(past ?? live, network, address.family, at, SCORE_PARAMETERS, shield);
    const signals: readonly Signal[] =
      past === undefined
        ? answer.signals
        : verdict(live, network, address.family, now, SCORE_PARAMETERS, shield).signals;
    const risk = `${riskJson(answer.score, signals)},"evidence_state":"${answer.state}"`;
    const pools = answer.pools.map((pool) => this.#pools.of(account.id, pool)).sort();
    let text = `{"ip":"${formatAddress(address)}${untilTime(risk)}${isoTime(at)}${afterTime(answer, pools, account.dpa, network)}`;
    if (geo !== undefined) text += `,"geo":${geo}`;
    text += metaOf(view, answer.override !== undefined);
    return { json: text, degraded: view.degraded };
  }
}

export function isOnRecord(view: LookupView, address: Address, now: UnixMs): boolean {
  const network = view.network(address);
  const isKnown =
    view.geoJson(address) !== undefined ||
    network.json !== undefined ||
    view.observations(address).length > 0 ||
    isNetworkKnown(network);
  return isKnown || hasOverride(view, address, now);
}

export function unseenPulseHead(network: NetworkFacts, family: 4 | 6, dpa: boolean): DocumentHead {
  const answer = verdict([], network, family, unixMs(0), SCORE_PARAMETERS);
  return { untilTime: untilTime(unseenRisk(network)), afterTime: afterTime(answer, [], dpa, network) };
}

function afterTime(answer: Verdict, pools: readonly string[], dpa: boolean, { json }: NetworkFacts): string {
  let text = `","share_tier":"${answer.shareTier}","evidence":${JSON.stringify(evidenceOf(answer, dpa))}`;
  if (pools.length > 0) text += `,"resource_pools":${JSON.stringify(pools)}`;
  if (!dpa) text += ',"professional_degraded":"dpa_required"';
  return json === undefined ? text : `${text},"network":${json}`;
}

export async function readHistory<T>(from: () => T | Promise<T>): Promise<T> {
  try {
    return await from();
  } catch (cause) {
    throw new Problem('history_unavailable', { cause });
  }
}

/**
 * Earliest answerable moment: the later of the account's window and the beginning of the record; now where
 * nothing was ever accepted. The window begins on a whole minute, so that the window_from of a refusal is
 * still valid in the next request.
 */
export function windowFrom(now: UnixMs, historyDays: number | undefined, earliest: UnixMs | undefined): UnixMs {
  const contract = now - (historyDays ?? HISTORY_DAYS) * DAY_MS;
  const from = Math.floor(contract / MINUTE_MS) * MINUTE_MS;
  return unixMs(Math.max(from, earliest ?? now));
}

const evidenceOf = (answer: Verdict, dpa: boolean): readonly Evidence[] =>
  answer.evidence.map((row) => rowOf(row, dpa));

function rowOf({ riskType, freshness, obsDays, capturedAt, ageMs }: VerdictRow, dpa: boolean): Evidence {
  const row = { risk_type: riskType, freshness, obs_days: obsDays };
  return dpa
    ? { ...row, captured_at: isoTime(capturedAt), age_min: Math.round((1000 * ageMs) / MINUTE_MS) / 1000 }
    : row;
}

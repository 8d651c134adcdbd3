import type { Config } from '../../config.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import { Recent } from '../../core/kit/recent.ts';
import { judge } from '../../core/policy/judge.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { knownGoodCapOf } from '../../core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { verdict } from '../../core/risk/verdict.ts';
import type { Unjudged } from '../../core/trial/trial-document.ts';
import type { TrialResult } from '../../core/trial/trial-tally.ts';
import type { UnixMs } from '../../core/units.ts';
import { windowFrom } from '../../service/lookup/lookup-pulse.ts';
import type { HistoryPast, LookupView } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';

export interface TrialJudgeOptions {
  readonly config: Pick<Config, 'history'>;
  readonly store: HistoryPast;
  readonly view: LookupView;
  readonly policy: Policy;
  readonly now: UnixMs;
  /** `line` judges each record at its own time. */
  readonly moment: UnixMs | 'line' | undefined;
}

const REMEMBERED_MAX = 500_000;

export class TrialJudge {
  readonly #options: TrialJudgeOptions;
  readonly #known = new Recent<string, TrialResult>(REMEMBERED_MAX);
  #from: UnixMs | undefined;

  constructor(options: TrialJudgeOptions) {
    this.#options = options;
  }

  /** @throws Problem history_not_enabled, at_out_of_window for a fixed moment */
  async judge(address: Address, time: UnixMs | undefined): Promise<TrialResult | Unjudged> {
    if (isReserved(address)) return 'reserved_address';
    const { moment, now, store } = this.#options;
    if (moment === undefined)
      return this.#remembered(address, undefined, () => this.#options.view.observations(address));
    const at = moment === 'line' ? time : moment;
    if (at === undefined) return 'without_time';
    if (at > now) return 'time_to_come';
    if (address.family === 6) return 'without_history';
    if (at < (await this.#windowFrom())) {
      if (moment === 'line') return 'before_history';
      throw new Problem('at_out_of_window', { extras: { window_from: new Date(this.#from!).toISOString() } });
    }
    return this.#remembered(address, at, () => store.observationsAt(address, at));
  }

  async #windowFrom(): Promise<UnixMs> {
    const { config, store, now } = this.#options;
    if (!config.history) throw new Problem('history_not_enabled');
    this.#from ??= windowFrom(now, undefined, await store.earliest());
    return this.#from;
  }

  async #remembered(
    address: Address,
    at: UnixMs | undefined,
    observations: () => ReturnType<HistoryPast['observationsAt']>,
  ): Promise<TrialResult> {
    const key = `${formatAddress(address)}@${at}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { view, policy, now } = this.#options;
    const shield = knownGoodCapOf(view.protection, address);
    const network = view.network(address);
    const found = verdict(await observations(), network, address.family, at ?? now, SCORE_PARAMETERS, shield);
    const result = { verdict: found, judgement: judge(policy, found, address) };
    this.#known.set(key, result);
    return result;
  }
}

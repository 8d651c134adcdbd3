import type { Explanation, ScoreTable } from '../../contract/documents.ts';
import type { RiskType } from '../../contract/risk.ts';
import { DERIVATION_RULES } from '../../core/collection/derive/derivation-rules.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import { prefixOf } from '../../core/ip/prefix.ts';
import { type PrefixWeight, SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { type DerivationNote, type HistoryPast, type HistoryUpkeep, isDegraded } from '../ports.ts';
import { Problem } from '../problem.ts';
import { explainIp } from './explain-ip.ts';
import { isOnRecord, type PulseQuery, readHistory } from './lookup-pulse.ts';

export type ExplainHistory = Pick<HistoryPast, 'observationsAt' | 'leftOutAt'> & Pick<HistoryUpkeep, 'derivationsAt'>;

interface ExplainedIp {
  readonly document: Explanation;
  readonly degraded: boolean;
}

export class ExplainLookup {
  readonly #history: ExplainHistory | undefined;
  readonly #derivedBy: (source: string) => RiskType | undefined;

  /** @param derivedBy risk type that a published list's captures become where network data allows it */
  constructor(history: ExplainHistory | undefined, derivedBy: (source: string) => RiskType | undefined) {
    this.#history = history;
    this.#derivedBy = derivedBy;
  }

  /** The caller has checked the moment. @throws Problem not_found, history_unavailable */
  async explain(question: PulseQuery & { readonly account: { readonly operator?: boolean } }): Promise<ExplainedIp> {
    const { view, address, account, now, moment } = question;
    if (!isOnRecord(view, address, now)) throw new Problem('not_found', { message: 'No record for this address.' });
    const at = moment ?? now;
    const history = this.#history;
    const observations = moment === undefined ? view.observations(address) : await this.#past(question.address, moment);
    const stored = history === undefined ? [] : await readHistory(() => history.derivationsAt(address, at));
    const notes = [...stored, ...this.#listedNotes(observations, address), ...neighbourNotes(observations, address)];
    return {
      document: explainIp({ view, address, account, at, observations, notes }),
      degraded: moment === undefined ? view.degraded : await this.#wasDegraded(moment),
    };
  }

  async #past(address: Address, moment: NonNullable<PulseQuery['moment']>): Promise<readonly Observation[]> {
    const history = this.#history;
    if (history === undefined) throw new Problem('history_not_enabled');
    return readHistory(() => history.observationsAt(address, moment));
  }

  async #wasDegraded(moment: NonNullable<PulseQuery['moment']>): Promise<boolean> {
    return isDegraded(await readHistory(() => this.#history!.leftOutAt(moment)));
  }

  #listedNotes(observations: readonly Observation[], address: Address): readonly DerivationNote[] {
    return observations
      .filter(({ source, riskType }) => this.#derivedBy(source) === riskType)
      .map(({ source, riskType, capturedAt, prefixBits }) => ({
        prefix: prefixOf(address, prefixBits),
        riskType,
        at: capturedAt,
        sources: [source],
        reason: `${source} lists proxy bots, and network data said DYN or MOB of the address when this was accepted (rules ${DERIVATION_RULES.version})`,
      }));
  }
}

const neighbourNotes = (observations: readonly Observation[], address: Address): readonly DerivationNote[] =>
  observations
    .filter(({ source }) => SCORE_PARAMETERS.neighbourhoods.includes(source))
    .map(({ source, riskType, capturedAt, prefixBits }) => ({
      prefix: prefixOf(address, prefixBits),
      riskType,
      at: capturedAt,
      sources: [source],
      reason: `residential pool neighbourhood: ${source} names networks full of proxy bots on one day, and counts where nothing else does`,
    }));

/** Body of GET /v1/score/parameters. Names of sources stay inside: rows of an explanation carry their effect. */
export function scoreTable(): ScoreTable {
  const { version, types, osintCap, prefixWeights, ipv6RangeWeights, claimMax, knownGoodMax } = SCORE_PARAMETERS;
  return {
    version,
    types: Object.fromEntries(
      Object.entries(types).map(([type, { base, windowMs, delta, persistence }]) => [
        type,
        { base, window_ms: windowMs, delta, persistence },
      ]),
    ),
    osint_cap: osintCap,
    prefix_weights: { ipv4: prefixWeights[4].map(weightOf), ipv6: prefixWeights[6].map(weightOf) },
    ipv6_range_weights: ipv6RangeWeights.map(weightOf),
    claim_max: claimMax,
    known_good_max: knownGoodMax,
  };
}

const weightOf = ({ minBits, weight }: PrefixWeight) => ({ min_bits: minBits, weight });

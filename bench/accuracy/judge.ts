import type { Geo } from '../../src/contract/documents.ts';
import type { Level } from '../../src/contract/risk.ts';
import type { CaptureBatch, Observation } from '../../src/core/evidence/observation.ts';
import type { Address, Prefix } from '../../src/core/ip/address.ts';
import { knownGoodCapOf, type Protection } from '../../src/core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../src/core/risk/parameters.ts';
import type { NetworkSignals } from '../../src/core/risk/share-tier.ts';
import { type Verdict, verdict } from '../../src/core/risk/verdict.ts';
import { typeWindows } from '../../src/core/risk/weigh.ts';
import type { UnixMs } from '../../src/core/units.ts';
import { openEvidence } from '../../src/engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../src/engine/evidence/live-evidence.ts';
import { compileEvidence } from '../../src/service/compile/compile-evidence.ts';
import type { HistoryStore } from '../../src/service/ports.ts';
import { FIXED_SEED } from '../../test/support/fixed-seed.ts';

/** Facts of an address besides evidence. */
export interface Places {
  network(address: Address): NetworkSignals & { readonly asn: number | undefined };
  place(address: Address): Pick<Geo, 'country' | 'city' | 'lat' | 'lon'>;
}

/** An answer, and the same if no table named known-good addresses. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly unprotected: Level;
}

/** Gives the verdicts of one moment over one compiled image, as a server does. */
export class Judge {
  readonly at: UnixMs;
  readonly places: Places;
  readonly #protection: Protection;
  readonly #live: LiveEvidence;

  constructor(live: LiveEvidence, places: Places, protection: Protection, at: UnixMs) {
    this.#live = live;
    this.places = places;
    this.#protection = protection;
    this.at = at;
  }

  static async open(store: HistoryStore, places: Places, protection: Protection, at: UnixMs): Promise<Judge> {
    const { bytes } = await compileEvidence(store, at, FIXED_SEED);
    return new Judge(new LiveEvidence(openEvidence(bytes.buffer), FIXED_SEED), places, protection, at);
  }

  isKnownGood(address: Address): boolean {
    return this.#protection.knownGood(address, this.at) !== undefined;
  }

  judge(address: Address): Judgement {
    const observations = this.#live.observations(address);
    const network = this.places.network(address);
    const answer = verdict(
      observations,
      network,
      address.family,
      this.at,
      SCORE_PARAMETERS,
      knownGoodCapOf(this.#protection, address),
    );
    if (answer.state !== 'active' || answer.level !== 'low' || !this.isKnownGood(address))
      return { verdict: answer, unprotected: answer.level };
    return {
      verdict: answer,
      unprotected: verdict(observations, network, address.family, this.at, SCORE_PARAMETERS).level,
    };
  }

  /** Captures of the address that are inside their window, whether or not they count next to each other. */
  active(address: Address): readonly Observation[] {
    const past = this.#live.observations(address).filter(({ capturedAt }) => capturedAt <= this.at);
    if (past.length === 0) return past;
    const validities = typeWindows(past, SCORE_PARAMETERS);
    return past.filter(({ riskType, capturedAt }) => this.at - capturedAt < validities.get(riskType)!.windowMs);
  }
}

export function* prefixesOf({
  length,
  family,
  words,
  bits,
}: Pick<CaptureBatch, 'length' | 'family' | 'words' | 'bits'>): Generator<Prefix> {
  for (let i = 0; i < length; i++) {
    yield {
      family: family[i] === 6 ? 6 : 4,
      w0: words[4 * i]!,
      w1: words[4 * i + 1]!,
      w2: words[4 * i + 2]!,
      w3: words[4 * i + 3]!,
      bits: bits[i]!,
    };
  }
}

/** Each prefix of the batch once: a source may have several captures of one. */
export function* distinctPrefixes(
  batch: Pick<CaptureBatch, 'length' | 'family' | 'words' | 'bits'>,
): Generator<Prefix> {
  const seen = new Set<string>();
  for (const prefix of prefixesOf(batch)) {
    const key = keyOf(prefix);
    if (seen.has(key)) continue;
    seen.add(key);
    yield prefix;
  }
}

export const keyOf = ({ family, w0, w1, w2, w3, bits }: Prefix): string =>
  family === 4 ? `${w0}/${bits}` : `${w0} ${w1} ${w2} ${w3}/${bits}`;

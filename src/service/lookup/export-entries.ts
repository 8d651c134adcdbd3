import type { Signal } from '../../contract/risk.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import { type AnonymityField, anonymityOf } from '../../core/export/anonymity.ts';
import {
  type ExportDetail,
  type ExportEntry,
  type ExportFilter,
  type ExportRecord,
  type GeoSchema,
  passesFilter,
} from '../../core/export/export-record.ts';
import { joinStretches, type ValuedStretch } from '../../core/export/join-stretches.ts';
import type { Address, Prefix } from '../../core/ip/address.ts';
import { type AddressSet, byFamily } from '../../core/ip/address-set.ts';
import { CutPoints } from '../../core/ip/cut-points.ts';
import { addressAfter, compareAddresses, prefixesOfRange } from '../../core/ip/prefix.ts';
import { isReserved, SPECIAL_PURPOSE_BLOCKS } from '../../core/ip/special-purpose.ts';
import { fallsBelowAt } from '../../core/risk/explain.ts';
import { knownGoodCapOf, type Protection, withOverrides } from '../../core/risk/known-good.ts';
import type { Overrides } from '../../core/risk/override.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { type Verdict, verdict } from '../../core/risk/verdict.ts';
import type { UnixMs } from '../../core/units.ts';
import { evidenceStretches } from '../../engine/evidence/evidence-stretches.ts';
import type { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';

/**
 * - `evidence`: it must have no deltas: the export reads its image alone.
 * - `protectedPrefixes`: prefixes at whose bounds the answer of `protection` may change.
 */
export interface ExportData {
  readonly evidence: LiveEvidence;
  readonly geo: GeoImage;
  readonly protection: Protection;
  readonly protectedPrefixes: Iterable<Prefix>;
  readonly overrides: Overrides | undefined;
}

/**
 * - `counts`: evidence of every other source is left out, as if the service had never read it.
 * - `max`: only the riskiest prefixes pass; of equal scores the first.
 * - `onTotal`: called before the first entry with the number of prefixes that there would be without `max`.
 * - `onLeftOut`: called at the end with the number of prefixes that would pass if every source counted.
 */
interface ExportChoice {
  readonly at: UnixMs;
  readonly families: readonly (4 | 6)[];
  readonly filter: ExportFilter;
  readonly exclude?: readonly Prefix[];
  readonly carries: ExportDetail;
  readonly counts: (source: string) => boolean;
  readonly withNetworks: boolean;
  readonly max?: number;
  readonly onTotal?: (prefixes: number) => void;
  readonly onLeftOut?: (prefixes: number) => void;
}

/**
 * Yields the verdicts of one instant on every address with evidence or an operator's denial, as the fewest
 * disjoint prefixes, ascending. Reserved space has no verdict. The verdict equals that of a lookup: same
 * observations, same formula.
 */
export function exportEntries(data: ExportData, choice: ExportChoice): Generator<ExportEntry> {
  return new VerdictExport(data, choice).entries();
}

interface JudgedStretch extends ValuedStretch {
  readonly verdict: Verdict;
  readonly until: UnixMs;
}

export const judgedStretches = (data: ExportData, choice: ExportChoice, bound: number): Generator<JudgedStretch> =>
  new VerdictExport(data, choice).judged(bound);

/** Signals from network data, which a file may not always pass on. */
export const NETWORK_SIGNALS: readonly Signal[] = ['hosting', 'mobile', 'crawler'];

const prefixCount = (first: Address, last: Address): number =>
  compareAddresses(first, last) === 0 ? 1 : prefixesOfRange(first, last).length;

class VerdictExport {
  readonly #data: ExportData;
  readonly #choice: ExportChoice;
  readonly #protection: Protection;
  readonly #cuts: CutPoints;
  readonly #overridden: Readonly<Record<4 | 6, AddressSet>>;
  readonly #excluded: Readonly<Record<4 | 6, AddressSet>>;
  readonly #records: ExportRecord[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #inNetworks = new Map<number, ExportRecord>();
  #leftOut = 0;

  constructor(data: ExportData, choice: ExportChoice) {
    this.#data = data;
    this.#choice = choice;
    const reserved = SPECIAL_PURPOSE_BLOCKS.map(
      ({ family, words: [w0, w1, w2, w3], bits }): Prefix => ({ family, w0, w1, w2, w3, bits }),
    );
    const overridden = [...(data.overrides?.prefixes() ?? [])];
    this.#protection = withOverrides(data.protection, data.overrides);
    const { exclude = [] } = choice;
    this.#cuts = new CutPoints([...reserved, ...data.protectedPrefixes, ...overridden, ...exclude]);
    this.#excluded = byFamily(exclude);
    this.#overridden = byFamily(overridden);
  }

  *entries(): Generator<ExportEntry> {
    const { max, onLeftOut } = this.#choice;
    const admits = max === undefined ? () => true : this.#riskiest(max);
    this.#leftOut = 0;
    for (const { prefix, value, network } of joinStretches(this.#stretches(admits)))
      yield { prefix, record: this.#recordOf(value, network ?? 0) };
    onLeftOut?.(this.#leftOut);
  }

  *judged(bound: number): Generator<JudgedStretch> {
    for (const { first, last, network, value } of this.#verdicts((found, address, network) => ({
      verdict: found,
      until: this.#fallsBelow(bound, address, network),
    })))
      yield { first, last, network, value: 0, ...value };
  }

  #recordOf(value: number, network: number): ExportRecord {
    const record = this.#records[value]!;
    if (network === 0) return record;
    const key = network * 0x10_0000 + value;
    const known = this.#inNetworks.get(key);
    if (known !== undefined) return known;
    const { json } = this.#data.geo.networkFacts(network);
    const made =
      json === undefined ? record : { ...record, network: JSON.parse(json) as NonNullable<ExportRecord['network']> };
    this.#inNetworks.set(key, made);
    return made;
  }

  *#stretches(admits: (score: number, prefixes: number) => boolean): Generator<ValuedStretch> {
    const isNetworkShown = this.#choice.withNetworks && this.#choice.carries === 'record';
    const judged = this.#verdicts((found, address) => {
      const value = this.#valueOf(found, address);
      return value === undefined ? undefined : { score: found.score, value };
    });
    for (const { first, last, network, value } of judged)
      if (admits(value.score, prefixCount(first, last)))
        yield { first, last, value: value.value, network: isNetworkShown ? network : 0 };
  }

  /** Counts once before the entries are made, so that their number takes no memory. */
  #riskiest(max: number): (score: number, prefixes: number) => boolean {
    const counts = new Float64Array(101);
    const all = this.#stretches((score, prefixes) => {
      counts[score]! += prefixes;
      return true;
    });
    let total = 0;
    for (const _ of joinStretches(all)) total++;
    this.#choice.onTotal?.(total);
    let [least, room] = [100, max];
    while (least > 0 && counts[least]! <= room) room -= counts[least--]!;
    return (score, prefixes) => {
      if (score !== least) return score > least;
      if (prefixes > room) return false;
      room -= prefixes;
      return true;
    };
  }

  #valueOf(found: Verdict, address: Address): number | undefined {
    if (this.#choice.carries !== 'anonymity') return this.#numberOf(found);
    const anonymity = anonymityOf(found, this.#observations(address), this.#choice.at, SCORE_PARAMETERS);
    return anonymity.length === 0 ? undefined : this.#numberOf(found, anonymity);
  }

  *#verdicts<Value>(
    toValue: (found: Verdict, address: Address, network: number) => Value | undefined,
  ): Generator<{ readonly first: Address; readonly last: Address; readonly network: number; readonly value: Value }> {
    const { evidence, geo } = this.#data;
    const reaches = [
      (address: Address) => geo.networkReach(address),
      (address: Address) => this.#cuts.lastAlike(address),
    ];
    for (const family of this.#choice.families) {
      const also = this.#overridden[family].ranges;
      for (const { first, last } of evidenceStretches(evidence.image, family, reaches, also)) {
        const network = geo.networkId(first);
        const found = this.#verdictAt(first, last, network);
        const value = found && toValue(found, first, network);
        if (value !== undefined) yield { first, last, network, value };
      }
    }
  }

  #verdictAt(address: Address, last: Address, network: number): Verdict | undefined {
    const { family } = address;
    if (isReserved(address)) return undefined;
    if (this.#excluded[family].overlaps({ ...address, bits: family === 4 ? 32 : 128 })) return undefined;
    const observations = this.#observations(address);
    const found = this.#judge(address, observations, network);
    if (found !== undefined || this.#choice.onLeftOut === undefined) return found;
    const all = this.#data.evidence.observations(address);
    if (all.length > observations.length && this.#judge(address, all, network) !== undefined)
      this.#leftOut += prefixCount(address, last);
    return undefined;
  }

  #judge(address: Address, observations: readonly Observation[], network: number): Verdict | undefined {
    const { at, filter } = this.#choice;
    const found = verdict(
      observations,
      this.#data.geo.networkFacts(network),
      address.family,
      at,
      SCORE_PARAMETERS,
      knownGoodCapOf(this.#protection, address),
    );
    const signals = found.signals.filter((signal) => this.#choice.withNetworks || !NETWORK_SIGNALS.includes(signal));
    const said = { ...found, signals };
    return found.state !== 'none' && passesFilter(said, filter) ? said : undefined;
  }

  #observations(address: Address): readonly Observation[] {
    const { counts } = this.#choice;
    const all = this.#data.evidence.observations(address);
    return all.every(({ source }) => counts(source)) ? all : all.filter(({ source }) => counts(source));
  }

  #fallsBelow(bound: number, address: Address, network: number): UnixMs {
    const facts = this.#data.geo.networkFacts(network);
    const cap = knownGoodCapOf(this.#protection, address);
    const { at } = this.#choice;
    return fallsBelowAt(bound, this.#observations(address), facts, address.family, at, SCORE_PARAMETERS, cap) ?? at;
  }

  #numberOf(
    { score, level, state, signals }: Pick<Verdict, 'score' | 'level' | 'state' | 'signals'>,
    anonymity?: readonly AnonymityField[],
  ): number {
    const { carries } = this.#choice;
    const key =
      carries === 'prefix'
        ? ''
        : carries === 'score'
          ? String(score)
          : (anonymity?.join(' ') ?? `${score} ${state} ${signals.join(' ')}`);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#records.length);
    return (
      this.#records.push({
        risk: { score, level, ...(signals.length > 0 && { signals }) },
        evidence_state: state,
        ...(anonymity && { anonymity }),
      }) - 1
    );
  }
}

interface GeoEntry {
  readonly prefix: Prefix;
  readonly record: number;
}

/**
 * Yields the places or AS numbers of all public space as the fewest disjoint prefixes, ascending, IPv4 first.
 * Each says what a lookup of any address in it says.
 */
export function* geoEntries(geo: GeoImage, schema: GeoSchema, families: readonly (4 | 6)[]): Generator<GeoEntry> {
  for (const { prefix, value } of joinStretches(stretches(geo, schema, families))) yield { prefix, record: value };
}

function* stretches(geo: GeoImage, schema: GeoSchema, families: readonly (4 | 6)[]): Generator<ValuedStretch> {
  const reserved = new CutPoints(
    SPECIAL_PURPOSE_BLOCKS.map(({ family, words: [w0, w1, w2, w3], bits }) => ({ family, w0, w1, w2, w3, bits })),
  );
  const value = schema === 'city' ? (at: Address) => geo.placeId(at) : (at: Address) => asnAt(geo, at);
  const reach = schema === 'city' ? (at: Address) => geo.placeReach(at) : (at: Address) => geo.networkReach(at);
  for (const family of families)
    for (let at: Address | undefined = { family, w0: 0, w1: 0, w2: 0, w3: 0 }; at !== undefined; ) {
      const cut = reserved.lastAlike(at);
      const alike = reach(at);
      const last: Address = cut !== undefined && compareAddresses(cut, alike) < 0 ? cut : alike;
      const found = value(at);
      if (found !== 0 && !isReserved(at)) yield { first: at, last, value: found, network: 0 };
      at = addressAfter(last);
    }
}

const asnAt = (geo: GeoImage, address: Address): number => geo.networkFacts(geo.networkId(address)).asn ?? 0;

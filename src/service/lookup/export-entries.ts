import type { Signal } from '../../contract/risk.ts';
import { type AnonymityField, anonymityOf } from '../../core/export/anonymity.ts';
import type { ExportEntry, ExportFilter, ExportRecord } from '../../core/export/export-record.ts';
import { type ExportDetail, passesFilter } from '../../core/export/export-record.ts';
import { joinStretches, type ValuedStretch } from '../../core/export/join-stretches.ts';
import type { Address, Prefix } from '../../core/ip/address.ts';
import { type AddressSet, byFamily } from '../../core/ip/address-set.ts';
import { CutPoints } from '../../core/ip/cut-points.ts';
import { isReserved, SPECIAL_PURPOSE_BLOCKS } from '../../core/ip/special-purpose.ts';
import { knownGoodCapOf, type Protection, withOverrides } from '../../core/risk/known-good.ts';
import type { Overrides } from '../../core/risk/override.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { type Verdict, verdict } from '../../core/risk/verdict.ts';
import type { UnixMs } from '../../core/units.ts';
import { evidenceStretches } from '../../engine/evidence/evidence-stretches.ts';
import type { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';

export interface ExportData {
  /** Without deltas: its image holds everything. */
  readonly evidence: LiveEvidence;
  readonly geo: GeoImage;
  readonly protection: Protection;
  /** Prefixes at whose bounds the answer of `protection` may change. */
  readonly protectedPrefixes: Iterable<Prefix>;
  readonly overrides: Overrides | undefined;
}

export interface ExportChoice {
  readonly at: UnixMs;
  readonly families: readonly (4 | 6)[];
  readonly filter: ExportFilter;
  readonly exclude?: readonly Prefix[];
  readonly carries: ExportDetail;
  /**
   * Whether evidence of a source counts. Without it the verdict is that of a service that never had the
   * source.
   */
  readonly counts: (source: string) => boolean;
  /** Whether the file carries signals and fields from network data. */
  readonly withNetworks: boolean;
}

/**
 * Yields the verdicts of one instant on every address with evidence or an operator's denial, as the fewest
 * disjoint prefixes, ascending. Reserved space has no verdict. The verdict equals that of a lookup: same
 * observations, same formula.
 */
export function exportEntries(data: ExportData, choice: ExportChoice): Generator<ExportEntry> {
  return new VerdictExport(data, choice).entries();
}

/** Signals from network data, which a file may not always pass on. */
export const NETWORK_SIGNALS: readonly Signal[] = ['hosting', 'mobile', 'crawler'];

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
    for (const { prefix, value, network } of joinStretches(this.#stretches()))
      yield { prefix, record: this.#recordOf(value, network ?? 0) };
  }

  /** Returns the same object for equal records, so that a writer can identify them. */
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

  *#stretches(): Generator<ValuedStretch> {
    const { evidence, geo } = this.#data;
    const reaches = [
      (address: Address) => geo.networkReach(address),
      (address: Address) => this.#cuts.lastAlike(address),
    ];
    for (const family of this.#choice.families) {
      const also = this.#overridden[family].ranges;
      for (const { first, last } of evidenceStretches(evidence.image, family, reaches, also)) {
        const network = geo.networkId(first);
        const value = this.#valueAt(first, network);
        if (value !== undefined)
          yield {
            first,
            last,
            value,
            network: this.#choice.withNetworks && this.#choice.carries === 'record' ? network : 0,
          };
      }
    }
  }

  /** Returns the number of the record at an address; undefined where the file has none. */
  #valueAt(address: Address, network: number): number | undefined {
    const { family } = address;
    if (isReserved(address)) return undefined;
    if (this.#excluded[family].overlaps({ ...address, bits: family === 4 ? 32 : 128 })) return undefined;
    const { at, counts, filter } = this.#choice;
    const { evidence, geo } = this.#data;
    const all = evidence.observations(address);
    const observations = all.every(({ source }) => counts(source)) ? all : all.filter(({ source }) => counts(source));
    const found = verdict(
      observations,
      geo.networkFacts(network),
      family,
      at,
      SCORE_PARAMETERS,
      knownGoodCapOf(this.#protection, address),
    );
    const signals = found.signals.filter((signal) => this.#choice.withNetworks || !NETWORK_SIGNALS.includes(signal));
    const said = { ...found, signals };
    if (found.state === 'none' || !passesFilter(said, filter)) return undefined;
    if (this.#choice.carries !== 'anonymity') return this.#numberOf(said);
    const anonymity = anonymityOf(said, observations, at, SCORE_PARAMETERS);
    return anonymity.length === 0 ? undefined : this.#numberOf(said, anonymity);
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

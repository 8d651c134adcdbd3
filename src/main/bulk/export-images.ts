import { isDemoFolder } from '../../adapters/data-folder/is-demo-folder.ts';
import { currentEvidence } from '../../adapters/evidence/current-evidence.ts';
import { publishedSources } from '../../adapters/feeds/catalogue.ts';
import { loadKnownGood } from '../../adapters/layers/known-good.ts';
import { loadProtection } from '../../adapters/layers/load-protection.ts';
import { loadOverrides } from '../../adapters/overrides/load-overrides.ts';
import { randomHashSeed, systemClock } from '../../adapters/system/own-process.ts';
import { type Override, overridesOf } from '../../core/risk/override.ts';
import type { UnixMs } from '../../core/units.ts';
import { type EvidenceImage, openEvidence } from '../../engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import { compileEvidence } from '../../service/compile/compile-evidence.ts';
import { DEMO_RISK_VERSION } from '../../service/demo-risk-version.ts';
import type { ExportData } from '../../service/lookup/export-entries.ts';
import type { HistoryLog, HistoryPast } from '../../service/ports.ts';
import { type ExportGeo, type ExportPlace, exportGeo } from './export-formats.ts';

/**
 * Merging leaves names without rows behind, so after this many merges the image comes from the data folder or
 * a compile.
 */
const MERGES = 100;

export interface ExportState {
  readonly data: ExportData;
  readonly geo: ExportGeo;
  readonly riskVersion: string;
  readonly version: string;
  readonly overridesVersion: string;
}

export class ExportImages {
  readonly #config: ExportPlace;
  readonly #store: HistoryPast & HistoryLog;
  readonly #knownGood = loadKnownGood();
  readonly #protection = loadProtection(publishedSources(), this.#knownGood);
  #evidence: EvidenceImage | undefined;
  #merges = 0;
  #past: { readonly at: UnixMs; readonly image: EvidenceImage } | undefined;
  #geo: ExportGeo | undefined;

  constructor(config: ExportPlace, store: HistoryPast & HistoryLog) {
    this.#config = config;
    this.#store = store;
  }

  async current(): Promise<ExportState> {
    return this.#dataOf(await this.#currentEvidence());
  }

  async overridesVersion(): Promise<string> {
    return versionOf(await loadOverrides(this.#config));
  }

  async at(moment: UnixMs): Promise<ExportState> {
    const { sequence } = await this.#store.head();
    const known = this.#past;
    if (known?.at === moment && known.image.meta.sequence === sequence) return this.#dataOf(known.image);
    const { bytes } = await compileEvidence(this.#store, systemClock.now(), randomHashSeed(), moment);
    const image = openEvidence(bytes.buffer);
    this.#past = { at: moment, image };
    return this.#dataOf(image);
  }

  async #dataOf(image: EvidenceImage): Promise<ExportState> {
    const evidence = new LiveEvidence(image, randomHashSeed());
    const geo = await exportGeo(this.#config, this.#geo);
    this.#geo = geo;
    const overrides = await loadOverrides(this.#config);
    const data = {
      evidence,
      geo: geo.image,
      protection: this.#protection,
      protectedPrefixes: this.#knownGood.prefixes(),
      overrides: overridesOf(overrides),
    };
    const overridesVersion = versionOf(overrides);
    return {
      data,
      geo,
      riskVersion: isDemoFolder(this.#config) ? DEMO_RISK_VERSION : evidence.dataVersion,
      version: `${evidence.sequence} ${geo.image.meta.builtAt} ${overridesVersion}`,
      overridesVersion,
    };
  }

  async #currentEvidence(): Promise<EvidenceImage> {
    const last = this.#merges < MERGES ? this.#evidence : undefined;
    const { image: current } = await currentEvidence(this.#config, this.#store, systemClock.now(), last);
    if (current !== last) this.#merges = last === undefined ? 0 : this.#merges + 1;
    this.#evidence = current;
    return current;
  }
}

const versionOf = (overrides: readonly Override[]): string =>
  overrides.map(({ id, until }) => `${id} ${until}`).join(' ');

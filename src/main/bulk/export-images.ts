import { currentEvidence } from '../../adapters/evidence/current-evidence.ts';
import { publishedSources } from '../../adapters/feeds/published-sources.ts';
import { loadKnownGood } from '../../adapters/layers/known-good.ts';
import { loadProtection } from '../../adapters/layers/load-protection.ts';
import { loadOverrides } from '../../adapters/overrides/load-overrides.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { randomHashSeed } from '../../adapters/system/random-hash-seed.ts';
import type { Config } from '../../config.ts';
import { overridesOf } from '../../core/risk/override.ts';
import type { EvidenceImage } from '../../engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import type { ExportData } from '../../service/lookup/export-entries.ts';
import type { HistoryLog, HistoryPast } from '../../service/ports.ts';
import { type ExportGeo, exportGeo } from './export-geo.ts';

/**
 * Merges in a row, after which the image is taken from the data folder or compiled. Merging leaves behind
 * names without rows.
 */
const MERGES = 100;

/** The data of exports, from the data folder and the stores. It keeps images between calls. */
export class ExportImages {
  readonly #config: Pick<Config, 'dataDir' | 'databaseUrl'>;
  readonly #store: HistoryPast & HistoryLog;
  readonly #knownGood = loadKnownGood();
  readonly #protection = loadProtection(publishedSources(), this.#knownGood);
  #evidence: EvidenceImage | undefined;
  #merges = 0;
  #geo: ExportGeo | undefined;

  constructor(config: Pick<Config, 'dataDir' | 'databaseUrl'>, store: HistoryPast & HistoryLog) {
    this.#config = config;
    this.#store = store;
  }

  /** Returns everything that the stores hold now. */
  async current(): Promise<{ readonly data: ExportData; readonly geo: ExportGeo; readonly overridesVersion: string }> {
    const evidence = new LiveEvidence(await this.#currentEvidence(), randomHashSeed());
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
    return { data, geo, overridesVersion: overrides.map(({ id, until }) => `${id} ${until}`).join(' ') };
  }

  async #currentEvidence(): Promise<EvidenceImage> {
    const last = this.#merges < MERGES ? this.#evidence : undefined;
    const { image: current } = await currentEvidence(this.#config, this.#store, systemClock.now(), last);
    if (current !== last) this.#merges = last === undefined ? 0 : this.#merges + 1;
    this.#evidence = current;
    return current;
  }
}

import { existsSync } from 'node:fs';
import { isDemoFolder } from '../../adapters/data-folder/is-demo-folder.ts';
import { currentEvidence } from '../../adapters/evidence/current-evidence.ts';
import { publishedSources } from '../../adapters/feeds/published-sources.ts';
import { loadKnownGood } from '../../adapters/layers/known-good.ts';
import { loadProtection } from '../../adapters/layers/load-protection.ts';
import { writeOutput } from '../../adapters/log-files/open-output.ts';
import { loadOverrides } from '../../adapters/overrides/load-overrides.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { randomHashSeed } from '../../adapters/system/random-hash-seed.ts';
import type { ExportNotice, GeoNotice } from '../../core/export/export-notice.ts';
import type { ExportFilter } from '../../core/export/export-record.ts';
import { metaOf } from '../../core/export/text-formats.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { overridesOf } from '../../core/risk/override.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import type { UnixMs } from '../../core/units.ts';
import type { EvidenceImage } from '../../engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import { DEMO_RISK_VERSION } from '../../service/demo-risk-version.ts';
import { exportEntries } from '../../service/lookup/export-entries.ts';
import { type HistoryLog, type HistoryPast, isDegraded } from '../../service/ports.ts';
import { EntryDigest } from './entry-digest.ts';
import { type ExportFormat, exportChunks, exportDetailOf, type RiskSchema } from './export-formats.ts';
import { type ExportGeo, type ExportPlace, exportGeo } from './export-geo.ts';
import { exportSources } from './export-sources.ts';
import { FILE_MODE, replaceFile, type WrittenFile } from './replace-file.ts';

export interface ExportOptions {
  readonly format: ExportFormat;
  /** Of an MMDB file. */
  readonly schema: RiskSchema;
  /** The file that is replaced; `-` is standard output. */
  readonly path: string;
  readonly families: readonly (4 | 6)[];
  readonly filter: ExportFilter;
  readonly exclude?: readonly Prefix[];
  readonly includeFetchOnly: boolean;
  /** As in TextInput. */
  readonly name: string;
  readonly hasComments?: boolean;
}

export interface ExportOutcome {
  readonly notice: Pick<GeoNotice, 'moment' | 'dataVersion'> &
    Partial<Pick<ExportNotice, 'parametersVersion' | 'degraded' | 'leftOut'>>;
  readonly prefixes: number;
  /** Undefined if the file would say the same again and was left as it is. */
  readonly written: WrittenFile | undefined;
}

/** Merges one upon the other, after which the image is taken from the data folder or compiled: merging leaves behind names without rows. */
const MERGES = 100;

/** Writes a file of verdicts from the data folder, again and again if asked to; keeps the images at hand between rounds. */
export class VerdictFile {
  readonly #config: ExportPlace;
  readonly #store: HistoryPast & HistoryLog;
  readonly #order: ExportOptions;
  readonly #knownGood = loadKnownGood();
  readonly #protection = loadProtection(publishedSources(), this.#knownGood);
  #evidence: EvidenceImage | undefined;
  #merges = 0;
  #geo: ExportGeo | undefined;
  #written: string | undefined;

  constructor(config: ExportPlace, store: HistoryPast & HistoryLog, options: ExportOptions) {
    this.#config = config;
    this.#store = store;
    this.#order = options;
  }

  /**
   * Writes the verdicts of this moment, if they differ from this object's last file.
   * @param signal gives the work up; the file then stays as it was
   * @param onProgress is given the number of prefixes so far
   */
  async write(signal: AbortSignal, onProgress: (prefixes: number) => void = () => {}): Promise<ExportOutcome> {
    const { format, schema, families, filter, exclude = [], path, includeFetchOnly } = this.#order;
    const evidence = new LiveEvidence(await this.#currentEvidence(), randomHashSeed());
    const geo = await exportGeo(this.#config, this.#geo);
    this.#geo = geo;
    const at = systemClock.now();
    const { counts, ...sources } = exportSources(evidence.image.sourcesOfRows(), includeFetchOnly);
    const overrides = overridesOf(await loadOverrides(this.#config));
    const notice = await this.#noticeOf(at, evidence, geo, sources);
    const data = {
      evidence,
      geo: geo.image,
      protection: this.#protection,
      protectedPrefixes: this.#knownGood.prefixes(),
      overrides,
    };
    const carries = exportDetailOf(format, schema);
    const digest = new EntryDigest(notice, carries !== 'prefix');
    const entries = digest.over(
      exportEntries(data, { at, families, filter, exclude, carries, counts, withNetworks: includeFetchOnly }),
      (count) => {
        signal.throwIfAborted();
        onProgress(count);
      },
    );
    const isNew = (): boolean => digest.text() !== this.#written || !existsSync(path);
    const pieces = exportChunks(format, { ...this.#order, entries, notice });
    let isReplaced = true;
    const written = await replaceFile(path, pieces, { signal, isNew: () => (isReplaced = isNew()) });
    if (isReplaced && format === 'csv' && path !== '-')
      await writeOutput(
        `${path}.meta.json`,
        Buffer.from(`${JSON.stringify(metaOf(notice), undefined, 2)}\n`),
        FILE_MODE,
      );
    this.#written = digest.text();
    return { notice, prefixes: digest.count, written: isReplaced ? written : undefined };
  }

  async #currentEvidence(): Promise<EvidenceImage> {
    const last = this.#merges < MERGES ? this.#evidence : undefined;
    const { image: current } = await currentEvidence(this.#config, this.#store, systemClock.now(), last);
    if (current !== last) this.#merges = last === undefined ? 0 : this.#merges + 1;
    this.#evidence = current;
    return current;
  }

  async #noticeOf(
    moment: UnixMs,
    evidence: LiveEvidence,
    { image: geo, layers, lists }: ExportGeo,
    { published, own, leftOut }: Omit<ReturnType<typeof exportSources>, 'counts'>,
  ): Promise<ExportNotice> {
    const { families, filter, includeFetchOnly } = this.#order;
    return {
      moment,
      dataVersion: {
        risk: isDemoFolder(this.#config) ? DEMO_RISK_VERSION : evidence.dataVersion,
        geo: geo.meta.dataVersion,
      },
      parametersVersion: SCORE_PARAMETERS.version,
      degraded: isDegraded(await this.#store.leftOutAt(moment)),
      families,
      filter,
      sources: published,
      own,
      leftOut,
      includesFetchOnly: includeFetchOnly,
      networkSources: includeFetchOnly ? [...layers, ...lists] : [],
    };
  }
}

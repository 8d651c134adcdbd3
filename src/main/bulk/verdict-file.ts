import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { DEMO_RISK_VERSION, isDemoFolder } from '../../adapters/data-folder/open-demo-folder.ts';
import { currentEvidence } from '../../adapters/evidence/current-evidence.ts';
import { publishedSources } from '../../adapters/feeds/published-sources.ts';
import { findNetworkLists } from '../../adapters/layers/find-network-lists.ts';
import { loadKnownGood } from '../../adapters/layers/known-good.ts';
import { loadProtection } from '../../adapters/layers/load-protection.ts';
import { type Output, OutputClosed, openOutput } from '../../adapters/log-files/open-output.ts';
import { loadOverrides } from '../../adapters/overrides/load-overrides.ts';
import { mapImage } from '../../adapters/snapshots/shared-image.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { randomHashSeed } from '../../adapters/system/random-hash-seed.ts';
import type { Config } from '../../config.ts';
import type { ExportNotice, NoticeSource } from '../../core/export/export-notice.ts';
import type { ExportFilter } from '../../core/export/export-record.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { overridesOf } from '../../core/risk/override.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import type { UnixMs } from '../../core/units.ts';
import type { EvidenceImage } from '../../engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import { type GeoImage, openGeo } from '../../engine/geo/geo-image.ts';
import { exportEntries } from '../../service/lookup/export-entries.ts';
import { type HistoryLog, type HistoryPast, isDegraded } from '../../service/ports.ts';
import { pinnedImage } from '../place-data/pinned-image.ts';
import { prepareGeoImage } from '../place-data/prepare-geo-image.ts';
import { EntryDigest } from './entry-digest.ts';
import { type ExportFormat, exportChunks, exportDetailOf } from './export-formats.ts';
import { exportSources, networkNotices } from './export-sources.ts';

export interface ExportOptions {
  readonly format: ExportFormat;
  /** The file that is replaced; `-` is standard output. */
  readonly path: string;
  readonly families: readonly (4 | 6)[];
  readonly filter: ExportFilter;
  readonly exclude?: readonly Prefix[];
  readonly includeFetchOnly: boolean;
  /** As in TextInput. */
  readonly name: string;
}

export interface ExportOutcome {
  readonly notice: ExportNotice;
  readonly prefixes: number;
  /** Size of the file; undefined: it would say the same again, and was left as it is. */
  readonly bytes: number | undefined;
}

/** Merges one upon the other, after which the image is taken from the data folder or compiled: merging leaves behind names without rows. */
const MERGES = 100;
/** The file is for programs of other users: a web server, a resolver, a packet filter. */
const MODE = 0o644;

/** Place and network at hand, and the lists that it was made of. */
interface CurrentGeo {
  readonly path: string;
  readonly image: GeoImage;
  readonly lists: readonly NoticeSource[];
}

/** Writes a file of verdicts from the data folder, again and again if asked to; keeps the images at hand between rounds. */
export class VerdictFile {
  readonly #config: Pick<Config, 'dataDir' | 'databaseUrl'>;
  readonly #store: HistoryPast & HistoryLog;
  readonly #order: ExportOptions;
  readonly #knownGood = loadKnownGood();
  readonly #protection = loadProtection(publishedSources(), this.#knownGood);
  #evidence: EvidenceImage | undefined;
  #merges = 0;
  #geo: CurrentGeo | undefined;
  #written: string | undefined;

  constructor(
    config: Pick<Config, 'dataDir' | 'databaseUrl'>,
    store: HistoryPast & HistoryLog,
    options: ExportOptions,
  ) {
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
    const { format, families, filter, exclude = [], name, path, includeFetchOnly } = this.#order;
    const evidence = new LiveEvidence(await this.#currentEvidence(), randomHashSeed());
    const geo = await this.#currentGeo();
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
    const carries = exportDetailOf(format);
    const digest = new EntryDigest(notice, carries !== 'prefix');
    const entries = digest.over(
      exportEntries(data, { at, families, filter, exclude, carries, counts, withNetworks: includeFetchOnly }),
      (count) => {
        signal.throwIfAborted();
        onProgress(count);
      },
    );
    const output = await openOutput(path, MODE);
    try {
      const bytes = await writeAll(exportChunks(format, { entries, notice, name }), output, signal);
      const isNew = digest.text() !== this.#written || !existsSync(path);
      await (isNew ? output.finish() : output.abandon());
      this.#written = digest.text();
      return { notice, prefixes: digest.count, bytes: isNew ? bytes : undefined };
    } catch (error) {
      await output.abandon();
      throw error;
    }
  }

  async #currentEvidence(): Promise<EvidenceImage> {
    const last = this.#merges < MERGES ? this.#evidence : undefined;
    const { image: current } = await currentEvidence(this.#config, this.#store, systemClock.now(), last);
    if (current !== last) this.#merges = last === undefined ? 0 : this.#merges + 1;
    this.#evidence = current;
    return current;
  }

  async #currentGeo(): Promise<CurrentGeo> {
    const { dataDir } = this.#config;
    const path = pinnedImage(dataDir) ?? (await prepareGeoImage(this.#config, systemClock.now())).path;
    if (this.#geo?.path !== path)
      this.#geo = {
        path,
        image: openGeo(mapImage(path, 'geo')),
        lists: networkNotices(findNetworkLists(dataDir).lists),
      };
    return this.#geo;
  }

  async #noticeOf(
    moment: UnixMs,
    evidence: LiveEvidence,
    { image: geo, lists }: CurrentGeo,
    { published, own, leftOut }: Omit<ReturnType<typeof exportSources>, 'counts'>,
  ): Promise<ExportNotice> {
    const { families, filter, includeFetchOnly } = this.#order;
    const layers = geo.meta.sources.map(({ id, licence = '', attribution = '' }) => ({ id, licence, attribution }));
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

/** @param pieces an empty one gives other work of the thread its turn @returns bytes written */
async function writeAll(pieces: Iterable<Uint8Array>, output: Output, signal: AbortSignal): Promise<number> {
  let bytes = 0;
  try {
    for (const piece of pieces) {
      signal.throwIfAborted();
      if (piece.length === 0) await setImmediate();
      else await output.write(piece);
      bytes += piece.length;
    }
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  }
  return bytes;
}

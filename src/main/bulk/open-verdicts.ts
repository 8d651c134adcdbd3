import { systemClock } from '../../adapters/system/own-process.ts';
import type { ExportNotice } from '../../core/export/export-notice.ts';
import type { ExportDetail, ExportEntry, ExportFilter } from '../../core/export/export-record.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import type { UnixMs } from '../../core/units.ts';
import { exportEntries } from '../../service/lookup/export-entries.ts';
import { type HistoryPast, isDegraded } from '../../service/ports.ts';
import { exportSources } from './export-formats.ts';
import type { ExportImages } from './export-images.ts';

export interface VerdictChoice {
  readonly families: readonly (4 | 6)[];
  readonly filter: ExportFilter;
  readonly exclude?: readonly Prefix[];
  readonly includeFetchOnly: boolean;
  readonly max?: number | undefined;
  readonly at?: UnixMs | undefined;
}

/**
 * - `leftOut`: prefixes that are left out because sources may not be passed on; known after the last entry.
 * - `total`: prefixes that there would be without `max`; undefined without `max` and before the first entry.
 */
export interface OpenVerdicts {
  readonly notice: ExportNotice;
  readonly entries: Generator<ExportEntry>;
  leftOut(): number;
  total(): number | undefined;
}

export interface VerdictStores {
  readonly images: ExportImages;
  readonly store: Pick<HistoryPast, 'leftOutAt'>;
}

export async function openVerdicts(
  { images, store }: VerdictStores,
  choice: VerdictChoice,
  carries: ExportDetail,
): Promise<OpenVerdicts> {
  const { families, filter, exclude = [], includeFetchOnly, max } = choice;
  const at = choice.at ?? systemClock.now();
  const { data, geo, riskVersion } = await (choice.at === undefined ? images.current() : images.at(at));
  const { layers, lists } = geo;
  const sources = exportSources(data.evidence.image.sourcesOfRows(), includeFetchOnly);
  const { published, own, counts, leftOut } = sources;
  let leftOutPrefixes = 0;
  let total: number | undefined;
  return {
    notice: {
      moment: at,
      families,
      filter,
      sources: published,
      own,
      leftOut,
      dataVersion: { risk: riskVersion, geo: geo.image.meta.dataVersion },
      parametersVersion: SCORE_PARAMETERS.version,
      degraded: isDegraded(await store.leftOutAt(at)),
      includesFetchOnly: includeFetchOnly,
      networkSources: includeFetchOnly ? [...layers, ...lists] : [],
    },
    entries: exportEntries(data, {
      at,
      families,
      filter,
      exclude,
      carries,
      counts,
      withNetworks: includeFetchOnly,
      ...(max !== undefined && { max, onTotal: (prefixes: number) => (total = prefixes) }),
      ...(leftOut.length > 0 && { onLeftOut: (prefixes: number) => (leftOutPrefixes = prefixes) }),
    }),
    leftOut: () => leftOutPrefixes,
    total: () => total,
  };
}

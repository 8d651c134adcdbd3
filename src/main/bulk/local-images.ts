import { isDemoFolder } from '../../adapters/data-folder/is-demo-folder.ts';
import { currentEvidence } from '../../adapters/evidence/current-evidence.ts';
import { publishedSources } from '../../adapters/feeds/catalogue.ts';
import { loadKnownGood } from '../../adapters/layers/known-good.ts';
import { loadProtection } from '../../adapters/layers/load-protection.ts';
import { loadOverrides } from '../../adapters/overrides/load-overrides.ts';
import { shareImage } from '../../adapters/snapshots/image-folder.ts';
import { openShared, type SharedImage } from '../../adapters/snapshots/shared-image.ts';
import { randomHashSeed } from '../../adapters/system/random-hash-seed.ts';
import type { Config } from '../../config.ts';
import { type PeriodTable, PrefixPeriods } from '../../core/ip/prefix-periods.ts';
import { release } from '../../core/kit/release.ts';
import { type KnownGoodSet, withOverrides } from '../../core/risk/known-good.ts';
import { type Override, overridesOf } from '../../core/risk/override.ts';
import type { UnixMs } from '../../core/units.ts';
import { createDataView } from '../../engine/create-data-view.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import { type GeoImage, openGeo } from '../../engine/geo/geo-image.ts';
import { DEMO_RISK_VERSION } from '../../service/demo-risk-version.ts';
import { type HistoryLog, type HistoryPast, isDegraded, type LookupView } from '../../service/ports.ts';
import { localImagePath } from '../place-data/local-image-path.ts';

export interface LocalImages {
  readonly geo: SharedImage;
  readonly evidence: SharedImage;
  readonly degraded: boolean;
  /** Replaces the version of the evidence; undefined keeps its own. */
  readonly riskVersion: string | undefined;
  readonly overrides: readonly Override[];
  readonly knownGood: PeriodTable<KnownGoodSet>;
}

/**
 * Opens the lookup data without a server, even while one runs: the compiled image of places and networks,
 * which is built if missing, and the last image of evidence with everything accepted since. The evidence
 * store and its image stay unchanged.
 */
export async function localImages(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  store: HistoryPast & HistoryLog,
  at: UnixMs,
): Promise<LocalImages> {
  const path = await localImagePath(config.dataDir, at);
  const { image, file } = await currentEvidence(config, store, at);
  return {
    geo: { path },
    evidence: file ?? moved(new Uint8Array(image.image.buffer)),
    degraded: isDegraded(await store.leftOutAt(at)),
    riskVersion: isDemoFolder(config) ? DEMO_RISK_VERSION : undefined,
    overrides: await loadOverrides(config),
    knownGood: loadKnownGood().table,
  };
}

function moved(bytes: Uint8Array): SharedArrayBuffer {
  const shared = shareImage(bytes);
  release(bytes);
  return shared;
}

export function openImages({ geo: place, evidence, degraded, riskVersion, overrides, knownGood }: LocalImages): {
  readonly geo: GeoImage;
  readonly view: LookupView;
} {
  const geo = openGeo(openShared(place, 'geo'));
  const view = createDataView(
    geo,
    new LiveEvidence(openEvidence(openShared(evidence, 'evidence')), randomHashSeed()),
    degraded,
    withOverrides(loadProtection(publishedSources(), new PrefixPeriods(knownGood)), overridesOf(overrides)),
  );
  return {
    geo,
    view: riskVersion === undefined ? view : { ...view, dataVersion: { ...view.dataVersion, risk: riskVersion } },
  };
}

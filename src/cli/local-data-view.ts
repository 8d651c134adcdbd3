import { readImageFile } from '../adapters/snapshots/read-image-file.ts';
import { randomHashSeed } from '../adapters/system/random-hash-seed.ts';
import type { Config } from '../config.ts';
import type { UnixMs } from '../core/units.ts';
import { createDataView } from '../engine/create-data-view.ts';
import { LiveEvidence } from '../engine/evidence/live-evidence.ts';
import { type GeoImage, openGeo } from '../engine/geo/geo-image.ts';
import { DEMO_RISK_VERSION, isDemoFolder } from '../main/demo/open-demo-folder.ts';
import { currentEvidence } from '../main/evidence/current-evidence.ts';
import { publishedSources } from '../main/evidence/published-sources.ts';
import { loadProtection } from '../main/load-protection.ts';
import { pinnedImage } from '../main/place-data/pinned-image.ts';
import { prepareGeoImage } from '../main/place-data/prepare-geo-image.ts';
import { type HistoryStore, isDegraded, type LookupView } from '../service/ports.ts';

/** A view, and the places and networks in it. */
export interface LocalData {
  readonly view: LookupView;
  readonly geo: GeoImage;
}

/**
 * The view for look-ups of many addresses without a server, also next to one that runs: place and network from the compiled image, which is built if it is not there yet, and
 * evidence as the store holds it now.
 * @param moment the verdicts are for, by which sources may be missing
 */
export async function localDataView(config: Pick<Config, 'dataDir'>, store: HistoryStore, now: UnixMs, moment: UnixMs): Promise<LocalData> {
  const path = pinnedImage(config.dataDir) ?? (await prepareGeoImage(config, now)).path;
  const evidence = new LiveEvidence(await currentEvidence(config, store, now), randomHashSeed());
  const degraded = isDegraded(await store.leftOutAt(moment));
  const geo = openGeo(await readImageFile(path, 'geo'));
  const view = createDataView(geo, evidence, degraded, loadProtection(publishedSources()));
  return { geo, view: isDemoFolder(config) ? { ...view, dataVersion: { ...view.dataVersion, risk: DEMO_RISK_VERSION } } : view };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { knowsRelayRanges } from '../adapters/layers/find-network-lists.ts';
import { checkImage } from '../adapters/snapshots/check-image.ts';
import { readImageFile } from '../adapters/snapshots/read-image-file.ts';
import { randomHashSeed } from '../adapters/system/random-hash-seed.ts';
import type { Config } from '../config.ts';
import type { UnixMs } from '../core/units.ts';
import { createDataView } from '../engine/create-data-view.ts';
import { openEvidence } from '../engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../engine/evidence/live-evidence.ts';
import { openGeo } from '../engine/geo/geo-image.ts';
import { ImageError } from '../engine/image.ts';
import { DEMO_RISK_VERSION, isDemoFolder } from '../main/demo/open-demo-folder.ts';
import { ImageThread } from '../main/evidence/image-thread.ts';
import { publishedSources } from '../main/evidence/published-sources.ts';
import { loadProtection } from '../main/load-protection.ts';
import { pinnedImage } from '../main/place-data/geo-image-job.ts';
import { prepareGeoImage } from '../main/place-data/prepare-geo-image.ts';
import { type HistoryStore, isDegraded, type LookupView } from '../service/ports.ts';
import { WAITS_FOR_RELAY } from '../service/relay-first.ts';
import { printNote } from './print.ts';

/** Both images that look-ups stand on, in memory that threads can share. */
export interface LocalImages {
  readonly geo: SharedArrayBuffer;
  readonly evidence: SharedArrayBuffer;
}

/**
 * Everything for look-ups of many addresses without a server, also beside one: place and network from the compiled image, which is built if it is not there
 * yet, and evidence as the store holds it now: the image of the last run with what was accepted since. The data folder stays as it is but for that.
 */
export async function localImages(config: Pick<Config, 'dataDir' | 'databaseUrl'>, now: UnixMs): Promise<LocalImages> {
  const path = pinnedImage(config.dataDir) ?? (await prepareGeoImage(config, now)).path;
  const thread = new ImageThread({ target: config });
  try {
    const [geo, last] = [await readImageFile(path, 'geo'), await lastEvidence(config.dataDir)];
    const evidence = (last && (await thread.merge(last))) ?? (await thread.compile());
    return { geo, evidence: evidence.image };
  } finally {
    await thread.close();
  }
}

/** The image of a server's last run; undefined where there is none that can be used. */
async function lastEvidence(dataDir: string): Promise<SharedArrayBuffer | undefined> {
  const path = join(dataDir, 'images', 'evidence.img');
  if (!existsSync(path)) return undefined;
  try {
    return await checkImage(await readImageFile(path, 'evidence'), 'evidence', 'everything');
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    printNote(`the last evidence image cannot be used (${error.message}); it is compiled from the store`);
    return undefined;
  }
}

/** The view over images that one thread looks addresses up in. @param at the moment it answers for, by which sources may be missing */
export async function localDataView(
  config: Pick<Config, 'dataDir'>,
  images: LocalImages,
  store: Pick<HistoryStore, 'leftOutAt'>,
  at: UnixMs,
): Promise<LookupView> {
  const evidence = new LiveEvidence(openEvidence(images.evidence), randomHashSeed());
  const view = createDataView(openGeo(images.geo), evidence, isDegraded(await store.leftOutAt(at)), loadProtection(publishedSources()));
  if (view.degraded) printNote('degraded: a source of evidence was left out; `pulse feeds list` shows the sources');
  if (view.degraded && !knowsRelayRanges(config.dataDir)) printNote(`lists of VPN addresses: ${WAITS_FOR_RELAY}`);
  return isDemoFolder(config) ? { ...view, dataVersion: { ...view.dataVersion, risk: DEMO_RISK_VERSION } } : view;
}

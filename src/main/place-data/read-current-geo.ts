import { GeoFacts, type SharedGeo } from '../../adapters/evidence/geo-facts.ts';
import { openShared } from '../../adapters/snapshots/published-images.ts';
import type { AsName } from '../../core/report/report-format.ts';
import { DAY_MS } from '../../core/units.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import { readyImage } from './current-geo-image.ts';

export async function readGeoFacts(dataDir: string): Promise<GeoFacts> {
  const geo = new GeoFacts();
  const image = await readCurrentGeo(dataDir);
  if (image !== undefined) geo.use(image);
  return geo;
}

export async function readCurrentGeo(dataDir: string): Promise<SharedGeo | undefined> {
  const ready = await readyImage(dataDir);
  return ready && { image: { path: ready.path }, version: ready.version };
}

/** Network data changes slowly, and its image is read whole. */
const RENEWED_EVERY_MS = DAY_MS;

export class CurrentGeo {
  readonly #dataDir: string;
  #readAt = Number.NEGATIVE_INFINITY;
  image: SharedGeo | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  async renew(now: number): Promise<void> {
    if (now - this.#readAt < RENEWED_EVERY_MS) return;
    this.image = await readCurrentGeo(this.#dataDir);
    // A missing image is looked for again at the next call.
    if (this.image !== undefined) this.#readAt = now;
  }
}

export async function readAsNames(dataDir: string): Promise<AsName> {
  const current = await readCurrentGeo(dataDir);
  if (current === undefined) return () => undefined;
  const geo = openGeo(openShared(current.image, 'geo'));
  return (asn) => geo.asName(asn);
}

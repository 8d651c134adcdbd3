import type { SharedGeo } from '../../adapters/evidence/geo-facts.ts';
import { DAY_MS } from '../../core/units.ts';
import { readCurrentGeo } from './read-current-geo.ts';

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

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Address } from '../core/ip/address.ts';
import type { UnixMs } from '../core/units.ts';
import { openGeo } from '../engine/geo/geo-image.ts';
import { evidenceVersion } from '../service/evidence-version.ts';
import type { HistoryStore, LookupView } from '../service/ports.ts';
import { readShared } from './geo-image-part.ts';

const NOTHING_KNOWN = { json: undefined, usageType: undefined, asn: undefined, hosting: false, mobile: false, crawler: false, relay: false };

/** Look-up data for one address without a server: evidence straight from the store as of `at`, place and network from the compiled image when there is one. */
export async function localView(config: Pick<Config, 'dataDir'>, store: HistoryStore, address: Address, at: UnixMs): Promise<LookupView> {
  const path = join(config.dataDir, 'images', 'geo.img');
  const geo = existsSync(path) ? openGeo(readShared(path)) : undefined;
  const observations = await store.observationsAt(address, at);
  const placeId = geo?.placeId(address) ?? 0;
  return {
    dataVersion: { risk: evidenceVersion(await store.head()), geo: geo?.meta.dataVersion ?? 'none' },
    degraded: false,
    geoJson: () => (geo === undefined || placeId === 0 ? undefined : geo.placeJson(placeId)),
    network: () => (geo === undefined ? NOTHING_KNOWN : geo.networkFacts(geo.networkId(address))),
    observations: () => observations,
  };
}

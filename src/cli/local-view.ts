import { isDemoFolder } from '../adapters/data-folder/is-demo-folder.ts';
import { publishedSources } from '../adapters/feeds/catalogue.ts';
import { loadKnownGoodOf } from '../adapters/layers/known-good.ts';
import { loadProtection } from '../adapters/layers/load-protection.ts';
import { loadOverrides } from '../adapters/overrides/load-overrides.ts';
import { mapImage } from '../adapters/snapshots/published-images.ts';
import type { Config } from '../config.ts';
import type { Address } from '../core/ip/address.ts';
import { withOverrides } from '../core/risk/known-good.ts';
import { overridesOf } from '../core/risk/override.ts';
import type { UnixMs } from '../core/units.ts';
import { type GeoImage, openGeo } from '../engine/geo/geo-image.ts';
import { localImagePath } from '../main/place-data/local-image-path.ts';
import { evidenceVersion } from '../service/compile/compile-evidence.ts';
import { DEMO_RISK_VERSION } from '../service/demo-risk-version.ts';
import { type HistoryLog, type HistoryPast, isDegraded, type LookupView } from '../service/ports.ts';

export interface LocalView {
  readonly geo: GeoImage;
  readonly of: (address: Address) => Promise<LookupView>;
}

/** Lookup data for some addresses without a server: evidence straight from the store as of `at`, place and network from the compiled image, which is built if it is not there yet. */
export async function localView(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  store: HistoryPast & HistoryLog,
  addresses: readonly Address[],
  at: UnixMs,
): Promise<LocalView> {
  const path = await localImagePath(config.dataDir, at);
  const geo = openGeo(mapImage(path, 'geo'));
  const installation = {
    dataVersion: {
      risk: isDemoFolder(config) ? DEMO_RISK_VERSION : evidenceVersion(await store.head()),
      geo: geo.meta.dataVersion,
    },
    degraded: isDegraded(await store.leftOutAt(at)),
    protection: withOverrides(
      loadProtection(publishedSources(), loadKnownGoodOf(addresses)),
      overridesOf(await loadOverrides(config)),
    ),
  };
  return {
    geo,
    async of(address) {
      const observations = await store.observationsAt(address, at);
      const placeId = geo.placeId(address);
      return {
        ...installation,
        geoJson: () => (placeId === 0 ? undefined : geo.placeJson(placeId)),
        network: () => geo.networkFacts(geo.networkId(address)),
        observations: () => observations,
      };
    },
  };
}

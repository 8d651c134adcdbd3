import { openShared } from '../../adapters/snapshots/shared-image.ts';
import type { AsName } from '../../core/report/report-format.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import { readCurrentGeo } from './read-current-geo.ts';

export async function readAsNames(dataDir: string): Promise<AsName> {
  const current = await readCurrentGeo(dataDir);
  if (current === undefined) return () => undefined;
  const geo = openGeo(openShared(current.image, 'geo'));
  return (asn) => geo.asName(asn);
}

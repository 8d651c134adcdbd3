import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileGeo } from '../../test/support/compile-geo.ts';
import { FIXED_SEED } from '../../test/support/fixed-seed.ts';
import { parseAnyAddress } from '../core/ip/parse-address.ts';
import type { UnixMs } from '../core/units.ts';
import type { LookupView } from '../service/ports.ts';
import { createDataView } from './create-data-view.ts';
import { emptyEvidence } from './evidence/empty-evidence.ts';
import { NO_POSITION } from './evidence/evidence-delta.ts';
import { LiveEvidence } from './evidence/live-evidence.ts';
import { openGeo } from './geo/geo-image.ts';

test('a view answers from both images in the shape the services ask for', () => {
  const nothing6 = { family: 6, count: 1, starts: new Uint32Array(4), ids: new Uint32Array(1) } as const;
  const first = {
    family: 4,
    count: 3,
    starts: Uint32Array.of(0, 0x08080000, 0x08090000),
    ids: Uint32Array.of(0, 1, 0),
  } as const;
  const geo = openGeo(
    compileGeo({
      meta: { dataVersion: 'g1', builtAt: 0 as UnixMs, sources: [] },
      place: { ranges4: first, ranges6: nothing6, records: ['', '{"country":"US"}'] },
      network: {
        ranges4: first,
        ranges6: nothing6,
        records: [
          { asn: 0, usageType: '', hosting: false, mobile: false, crawler: false, relay: false, anycast: false },
          { asn: 15169, usageType: 'IDC', hosting: true, mobile: false, crawler: false, relay: false, anycast: false },
        ],
      },
    }).buffer,
  );
  const view: LookupView = createDataView(
    geo,
    new LiveEvidence(
      emptyEvidence({ dataVersion: 'r1', builtAt: 0 as UnixMs, ...NO_POSITION }, FIXED_SEED),
      FIXED_SEED,
    ),
    true,
  );
  const known = parseAnyAddress('8.8.8.8')!;
  const unknown = parseAnyAddress('2001:4860::8888')!;
  assert.deepEqual(view.dataVersion, { risk: 'r1', geo: 'g1' });
  assert.equal(view.degraded, true);
  assert.equal(view.geoJson(known), '{"country":"US"}');
  assert.equal(view.geoJson(unknown), undefined);
  assert.equal(view.network(known).json, '{"asn":15169,"usage_type":"IDC"}');
  assert.equal(view.network(unknown).json, undefined);
  assert.deepEqual(view.observations(known), []);
});

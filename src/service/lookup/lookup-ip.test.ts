import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RISK_TYPES } from '../../contract/risk.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { verdict } from '../../core/risk/verdict.ts';
import { DAY_MS, unixMs } from '../../core/units.ts';
import { isoTime } from '../iso-time.ts';
import type { LookupView, NetworkFacts } from '../ports.ts';
import { lookupIp, lookupIpDocument } from './lookup-ip.ts';

const NOW = unixMs(Date.UTC(2026, 10, 21, 12, 0, 0, 7));
const ADDRESS = parseAnyAddress('8.8.8.8')!;
const UNKNOWN: NetworkFacts = {
  json: undefined,
  asn: undefined,
  usageType: undefined,
  hosting: false,
  mobile: false,
  crawler: false,
  relay: false,
};
const view = (parts: {
  geo?: string;
  network?: Partial<NetworkFacts>;
  observations?: readonly Observation[];
  degraded?: boolean;
}): LookupView => ({
  dataVersion: { risk: 'r"1', geo: 'g' },
  degraded: parts.degraded ?? false,
  protection: undefined,
  geoJson: () => parts.geo,
  network: () => ({ ...UNKNOWN, ...parts.network }),
  observations: () => parts.observations ?? [],
});
const seen = (riskType: Observation['riskType'], ageMs: number): Observation => ({
  riskType,
  source: riskType,
  family: riskType,
  capturedAt: unixMs(NOW - ageMs),
  days: 1,
  prefixBits: 32,
  pools: [],
});

test('the text is the document of the verdict, for any evidence, and the object form is that text', () => {
  const observations = fc.array(
    fc.record({ type: fc.constantFrom(...RISK_TYPES), age: fc.integer({ min: 0, max: 90 * DAY_MS }) }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(observations, fc.boolean(), fc.boolean(), fc.boolean(), (rows, hosting, degraded, geo) => {
      const list = [...new Map(rows.map(({ type, age }) => [type, seen(type, age)])).values()];
      const data = view({
        network: { hosting, json: '{"asn":1}', asn: 1 },
        observations: list,
        degraded,
        ...(geo && { geo: '{"country":"US"}' }),
      });
      const answer = verdict(list, data.network(ADDRESS), 4, NOW, SCORE_PARAMETERS);
      const text = lookupIp(data, ADDRESS, NOW)!;
      assert.deepEqual(JSON.parse(text), {
        ip: '8.8.8.8',
        risk: {
          score: answer.score,
          level: answer.level,
          ...(answer.signals.length > 0 && { signals: answer.signals }),
        },
        evidence_state: answer.state,
        computed_at: new Date(NOW).toISOString(),
        network: { asn: 1 },
        ...(geo && { geo: { country: 'US' } }),
        ...(degraded && { degraded: true }),
        meta: { data_version: { risk: 'r"1', geo: 'g' } },
      });
      assert.deepEqual(lookupIpDocument(data, ADDRESS, NOW), JSON.parse(text));
    }),
  );
});

test('an address in no data at all has no document; one in any of them has', () => {
  assert.equal(lookupIp(view({}), ADDRESS, NOW), undefined);
  assert.equal(lookupIpDocument(view({}), ADDRESS, NOW), undefined);
  for (const parts of [
    { geo: '{"country":"US"}' },
    { network: { json: '{"asn":1}' } },
    { network: { mobile: true } },
    { network: { relay: true } },
    { observations: [seen('proxy', 365 * DAY_MS)] },
  ])
    assert.notEqual(lookupIp(view(parts), ADDRESS, NOW), undefined);
});

test('times have milliseconds and Z whatever came before them', () => {
  for (const at of [0, 999, 1000, 1001, NOW, NOW + 93, NOW + 992, NOW - 1, -1])
    assert.equal(isoTime(unixMs(at)), new Date(at).toISOString());
});

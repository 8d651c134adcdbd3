import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_FIELDS, FIELD_PATHS, needsProfessional, parseFields } from './field-path.ts';
import { fieldText, fieldValue } from './field-value.ts';

const DOCUMENT = {
  ip: '1.2.3.4',
  risk: { score: 71, level: 'high', signals: ['proxy', 'vpn'] },
  evidence_state: 'active',
  evidence: [{ risk_type: 'proxy' }, { risk_type: 'vpn' }],
  network: { asn: 64500 },
  geo: { lat: 0, lon: -0.5 },
  degraded: true,
};

test('fields are read by path; an absent one is empty, and a real 0 is 0', () => {
  const values = (
    [
      'risk.score',
      'risk.signals',
      'evidence.risk_type',
      'network.usage_type',
      'geo.lat',
      'geo.lon',
      'degraded',
      'error.code',
    ] as const
  ).map((path) => fieldValue(DOCUMENT, path));
  assert.deepEqual(values.map(fieldText), ['71', 'proxy|vpn', 'proxy|vpn', '', '0', '-0.5', 'true', '']);
});

test('a field that every object inherits is not a field of the document', () => {
  assert.equal(fieldValue({ risk: Object.create({ score: 1 }) }, 'risk.score'), undefined);
});

test('the state is among the default fields, and all of them are fields of the free document', () => {
  assert.ok(DEFAULT_FIELDS.includes('evidence_state'));
  assert.equal(needsProfessional(DEFAULT_FIELDS), false);
  assert.equal(needsProfessional(['share_tier']), true);
});

test('a list of fields is read, and a name that is not one or comes twice is named', () => {
  assert.deepEqual(parseFields('risk.score, geo.country'), ['risk.score', 'geo.country']);
  assert.deepEqual(parseFields(FIELD_PATHS.join(',')), FIELD_PATHS);
  assert.equal(parseFields('risk.score,risk.points'), 'risk.points');
  assert.equal(parseFields('ip,ip'), 'ip');
});

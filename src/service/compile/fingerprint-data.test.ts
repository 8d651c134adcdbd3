import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FingerprintInput, fingerprintData, type LayerState } from './fingerprint-data.ts';

const own = {
  id: 'own',
  files: ['/data/layers/own.mmdb'],
  version: '2026-11-20',
  licence: 'CC BY 4.0',
  attribution: 'Own, https://own.example',
  shipped: false,
};
const city = {
  id: 'city',
  gives: 'place',
  files: ['/data/city-4.mmdb', '/data/city-6.mmdb'],
  kind: 'mmdb',
  role: 'world',
  version: '2026-11-01',
  shipped: true,
} as const;
const asn = {
  id: 'asn',
  gives: 'network',
  files: ['/data/asn.csv'],
  kind: 'csv',
  role: 'world',
  version: '2026-10-30',
  shipped: true,
} as const;

const INGREDIENTS: FingerprintInput = {
  rules: '1',
  tables: ['{"110000":"Beijing"}', '{"CH":"EU"}'],
  layers: [
    { layer: own, files: [{ size: 1000, mtimeMs: 1_700_000_000_000.5 }] },
    {
      layer: city,
      files: [
        { size: 2000, mtimeMs: 1_700_000_001_000 },
        { size: 3000, mtimeMs: 1_700_000_002_000 },
      ],
    },
    { layer: asn, files: [{ size: 4000, mtimeMs: 1_700_000_003_000 }] },
  ],
  lists: [
    {
      id: 'cloud',
      version: '7',
      effect: { usage: 'DCH', hosting: true },
      priority: 5,
      prefixes: { length: 3, family: new Uint8Array(3), words: new Uint32Array(12), bits: new Uint8Array(3) },
    },
    { id: 'carrier', version: '2026-11-19', effect: { mobile: true }, asns: Uint32Array.of(64_500, 64_501) },
  ],
};

/** Returns the names of the fingerprints that change. */
function changed(other: Partial<FingerprintInput>): string {
  const [before, after] = [fingerprintData(INGREDIENTS), fingerprintData({ ...INGREDIENTS, ...other })];
  return (['place', 'network', 'dataVersion'] as const).filter((name) => before[name] !== after[name]).join(' ');
}

const withLayer = (index: number, change: (state: LayerState) => LayerState): Partial<FingerprintInput> => ({
  layers: INGREDIENTS.layers.map((state, i) => (i === index ? change(state) : state)),
});
const touched = (state: LayerState): LayerState => ({
  ...state,
  files: state.files.map((file) => ({ ...file, mtimeMs: file.mtimeMs + 1 })),
});
const grown = (state: LayerState): LayerState => ({
  ...state,
  files: state.files.map((file) => ({ ...file, size: file.size + 1 })),
});

test('each half changes with its input, and the version with the inputs that other machines have too', () => {
  assert.equal(changed({}), '');
  assert.equal(changed({ rules: '2' }), 'place network dataVersion');
  assert.equal(changed(withLayer(0, touched)), 'place network', 'a layer of both, written again');
  assert.equal(changed(withLayer(1, touched)), 'place');
  assert.equal(changed(withLayer(2, touched)), 'network');
  assert.equal(changed(withLayer(2, grown)), 'network dataVersion');
  assert.equal(changed({ tables: ['{"110000":"Beijing"}', '{"CH":"AS"}'] }), 'place dataVersion');
  assert.equal(changed({ lists: INGREDIENTS.lists.slice(1) }), 'network dataVersion');
  const seen = { ...INGREDIENTS.lists[0]!, effect: { anycast: true } } as const;
  assert.equal(changed({ lists: [...INGREDIENTS.lists, seen] }), 'network dataVersion', 'new every day');
  const given = { ...seen, effect: { anycast: true, country: 'US' } } as const;
  assert.equal(changed({ lists: [...INGREDIENTS.lists, given] }), 'place network dataVersion');
  assert.equal(changed({ layers: [...INGREDIENTS.layers].reverse() }), 'place network dataVersion', 'by trust');
});

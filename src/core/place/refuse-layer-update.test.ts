import assert from 'node:assert/strict';
import { test } from 'node:test';
import { worded } from '../texts/said.ts';
import { type LayerSummary, refuseLayerUpdate } from './refuse-layer-update.ts';

const answers = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`192.0.2.${i}`, 'DE']));
const former: LayerSummary = { version: '2026-06-05', covered: { 4: 1000, 6: 100 }, answers };
const moved = (count: number): LayerSummary['answers'] => ({
  ...answers,
  ...Object.fromEntries(
    Object.keys(answers)
      .slice(0, count)
      .map((ip) => [ip, 'FR']),
  ),
});

test('content that is as new, as wide and answers as before is taken, on each border', () => {
  for (const change of [
    {},
    { version: '2026-07-01' },
    { covered: { 4: 900, 6: 90 } },
    { covered: { 4: 9000, 6: 0 + 900 } },
    { answers: moved(2) },
  ])
    assert.equal(refuseLayerUpdate(former, { ...former, ...change }), undefined, JSON.stringify(change));
  assert.equal(refuseLayerUpdate({ ...former, covered: { 4: 1000, 6: 0 } }, former), undefined);
});

test('content that is older, narrower in either family, empty or in other countries is refused with the figures', () => {
  for (const [change, reason] of [
    [{ version: '2026-06-04' }, /2026-06-04 is older than that of 2026-06-05/],
    [{ covered: { 4: 899, 6: 100 } }, /covers 89 % of the IPv4 space of the former one, less than 90 %/],
    [{ covered: { 4: 1000, 6: 0 } }, /covers 0 % of the IPv6/],
    [{ answers: moved(3) }, /3 of 20 sample addresses changed, such as 192\.0\.2\.0 from DE to FR/],
    [{ answers: {} }, /20 of 20 sample addresses changed, .* from DE to unknown/],
  ] as const)
    assert.match(worded(refuseLayerUpdate(former, { ...former, ...change })!), reason);
  const nothing = { ...former, covered: { 4: 0, 6: 0 }, answers: {} };
  assert.match(worded(refuseLayerUpdate(nothing, nothing)!), /says nothing/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { syntheticGeo } from '../../../test/support/synthetic-geo.ts';
import { unixMs } from '../../core/units.ts';
import { emptyEvidence } from '../../engine/evidence/empty-evidence.ts';
import { NO_POSITION } from '../../engine/evidence/evidence-delta.ts';
import type { DataMessage } from '../../service/serving/data-state.ts';
import { PublishedData } from './published-data.ts';

function shared(bytes: Uint8Array): SharedArrayBuffer {
  const copy = new SharedArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
}

const geo = (version: string): DataMessage => ({ type: 'geo', image: shared(syntheticGeo(version)) });

function evidence(included: number, version: string, restart = false): DataMessage {
  const { image } = emptyEvidence(
    { ...NO_POSITION, sequence: included, dataVersion: version, builtAt: unixMs(included) },
    FIXED_SEED,
  );
  return {
    type: 'evidence',
    image: shared(new Uint8Array(image.buffer)),
    included,
    restart,
    dropped: { rows: included, pools: 0 },
  };
}

const delta = (sequence: number, dataVersion: string): DataMessage => ({
  type: 'delta',
  delta: { sequence, dataVersion } as never,
});

function after(...messages: readonly DataMessage[]): PublishedData {
  const data = new PublishedData();
  for (const message of messages) data.publish(message);
  return data;
}

test('nothing is ready before place and network are there', () => {
  assert.equal(after(evidence(1, 'e1')).state(), undefined);
  assert.deepEqual(after(geo('g')).state(), { degraded: false, dataVersion: { risk: 'none', geo: 'g' } });
});

test('the version of risk is that of the newest delta or image, and an older image changes nothing', () => {
  const riskAfter = (...messages: readonly DataMessage[]) => after(geo('g'), ...messages).state()?.dataVersion.risk;
  assert.equal(riskAfter(evidence(2, 'e2'), delta(3, 'd3')), 'd3');
  assert.equal(riskAfter(delta(3, 'd3'), evidence(2, 'e2')), 'd3');
  assert.equal(riskAfter(delta(3, 'd3'), evidence(3, 'e3')), 'e3');
  assert.equal(riskAfter(evidence(5, 'e5'), evidence(4, 'e4')), 'e5');
  assert.equal(riskAfter(evidence(5, 'e5'), evidence(4, 'e4', true)), 'e4');
  const data = after(evidence(5, 'e5'), evidence(4, 'e4'));
  assert.deepEqual([data.built().evidence, data.dropped()], [5, { rows: 5, pools: 0 }]);
});

test('verdicts are degraded while a job reports it, and a demonstration has a version of its own', () => {
  const feeds = (degraded: boolean): DataMessage => ({ type: 'degraded', by: 'feeds', degraded });
  assert.equal(after(geo('g'), feeds(true)).state()?.degraded, true);
  assert.equal(after(geo('g'), feeds(true), feeds(false)).state()?.degraded, false);
  const demo = new PublishedData('demo');
  demo.publish(geo('g'));
  assert.equal(demo.state()?.dataVersion.risk, 'demo');
});

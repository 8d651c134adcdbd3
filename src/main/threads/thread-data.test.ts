import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { noEvidence } from '../../adapters/snapshots/image-folder.ts';
import { unixMs } from '../../core/units.ts';
import { emptyEvidence } from '../../engine/evidence/empty-evidence.ts';
import type { EvidenceDelta } from '../../engine/evidence/evidence-delta.ts';
import {
  applyMessage,
  type DataMessage,
  type DataState,
  NO_DATA,
  type ThreadState,
} from '../../service/serving/data-state.ts';
import { ThreadData } from './thread-data.ts';

const position = (sequence: number) => ({ store: 'one', sequence, mark: `m${sequence}` });

function image(sequence: number): SharedArrayBuffer {
  const bytes = new Uint8Array(
    emptyEvidence({ ...position(sequence), dataVersion: `v${sequence}`, builtAt: unixMs(0) }, FIXED_SEED).image.buffer,
  );
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

const delta = (sequence: number): EvidenceDelta => ({
  ...position(sequence),
  dataVersion: `v${sequence}`,
  sources: [],
  pools: [''],
  length: 0,
  op: new Uint8Array(),
  family: new Uint8Array(),
  words: new Uint32Array(),
  bits: new Uint8Array(),
  source: new Uint16Array(),
  type: new Uint8Array(),
  pool: new Uint16Array(),
  capturedAt: new Float64Array(),
  days: new Uint16Array(),
});

const evidence = (included: number, restart = false): DataMessage => ({
  type: 'evidence',
  image: image(included),
  included,
  restart,
});
const change = (sequence: number): DataMessage => ({ type: 'delta', delta: delta(sequence) });
const health = (by: 'feeds' | 'evidence', degraded: boolean): DataMessage => ({ type: 'degraded', by, degraded });
const after = (...messages: readonly DataMessage[]): DataState => messages.reduce(applyMessage, NO_DATA);

describe('the data after messages', () => {
  test('an image takes the place of the deltas it holds; later ones stay', () => {
    const state = after(change(1), change(2), change(3), evidence(2));
    const sequences = state.deltas.map(({ sequence }) => sequence);
    assert.deepEqual(sequences, [3]);
  });

  test('a restart leaves no delta applied, whatever its number', () => {
    assert.deepEqual(after(change(8), change(9), evidence(2, true)).deltas, []);
  });

  test('an older image than the one here changes nothing: deltas between the two are no longer kept', () => {
    const state = after(change(1), change(2), evidence(2), change(3));
    assert.equal(applyMessage(state, evidence(1)), state);
    assert.equal(applyMessage(state, evidence(1, true)).included, 1);
  });

  test('verdicts are degraded until every job that reported it reports otherwise', () => {
    const both = after(health('feeds', true), health('evidence', true));
    const one = applyMessage(both, health('feeds', false));
    assert.deepEqual(one.degradedBy, ['evidence']);
    assert.deepEqual(applyMessage(one, health('evidence', false)).degradedBy, []);
  });

  test('a report that changes nothing gives the same object', () => {
    const state = after(health('feeds', true));
    assert.equal(applyMessage(state, health('feeds', true)), state);
    assert.equal(applyMessage(state, health('evidence', false)), state);
    assert.notEqual(applyMessage(state, health('evidence', true)), state);
  });

  test('the state before a message is left as it was', () => {
    const state = Object.freeze({ ...after(change(1)), deltas: Object.freeze([delta(1)]) });
    applyMessage(state, change(2));
    assert.equal(state.deltas.length, 1);
  });
});

test('a thread that starts late shows the same as one that received every message', () => {
  const story = [
    change(1),
    change(2),
    evidence(1),
    change(3),
    evidence(2),
    evidence(1),
    change(4),
    evidence(3, true),
    change(5),
    evidence(5),
  ];
  let state: ThreadState = { ...NO_DATA, evidence: noEvidence() };
  const lived = new ThreadData(state);
  for (const message of story) {
    lived.apply(message);
    state = applyMessage(state, message);
    assert.deepEqual(new ThreadData(state).evidence(), lived.evidence(), JSON.stringify(message.type));
  }
});

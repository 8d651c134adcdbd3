import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unixMs } from '../core/units.ts';
import type { IntakeReply, IntakeRequest } from './accept-captures.ts';
import { drainStream } from './drain-stream.ts';
import { ATTEMPTS_MAX, type StreamEntry, type WaitingBatch } from './waiting-batch.ts';

const batch = (id: string): WaitingBatch => ({ source: 's', format: 'ndjson', at: unixMs(1), account: 'acc_1', id, body: Uint8Array.of(1) });
const entry = (id: string, more: Partial<StreamEntry> = {}): StreamEntry => ({ id, batch: batch(id), attempts: 1, ...more });
const TAKEN: IntakeReply = { status: 'taken', outcome: { lines: 1, accepted: 1, added: 1, refused: {} } };

interface World {
  readonly entries: readonly (StreamEntry | Error)[];
  /** What the store does with a batch, by how often it was asked for it. */
  readonly accept: (id: string, asked: number) => IntakeReply | Error;
  readonly storeIsUp?: () => boolean;
}

/** Drains until no entry is left. */
async function drain({ entries, accept, storeIsUp = () => true }: World) {
  const ending = new AbortController();
  const waiting = [...entries];
  const asked = new Map<string, number>();
  const did: string[] = [];
  const requests: IntakeRequest[] = [];
  let left = entries.filter((one) => !(one instanceof Error)).length;
  const note = (_: object, message: string): void => void did.push(message);
  await drainStream({
    reader: {
      async next() {
        const found = waiting.shift();
        if (found === undefined) await new Promise(setImmediate);
        if (left === 0) ending.abort();
        if (found instanceof Error) throw found;
        return found;
      },
      async keep() {},
      async settle(id) {
        did.push(`settled ${id}`);
        left -= 1;
      },
      async setAside(id, reason) {
        did.push(`${id} aside: ${reason}`);
        left -= 1;
      },
    },
    async accept(_body, request) {
      const times = (asked.get(request.id!) ?? 0) + 1;
      asked.set(request.id!, times);
      requests.push(request);
      const reply = accept(request.id!, times);
      if (reply instanceof Error) throw reply;
      return reply;
    },
    async probe() {
      if (!storeIsUp()) throw new Error('away');
    },
    signal: ending.signal,
    async pause() {},
    log: { warn: note, error: note, info: note },
  });
  return { did, asked, requests };
}

test('an entry leaves the stream when the store has it, under the name it waited with, and without another look at its budget', async () => {
  const { did, requests } = await drain({ entries: [entry('1'), entry('2')], accept: () => TAKEN });
  assert.deepEqual(did, ['settled 1', 'settled 2']);
  assert.deepEqual(requests[0], { source: 's', format: 'ndjson', at: 1, account: 'acc_1', id: '1', isCounted: true });
});

test('an entry that the store refuses, or fails at while it answers other questions, is set aside and stops none', async () => {
  const { did, asked } = await drain({
    entries: [entry('damaged'), entry('poison'), entry('foreign', { batch: undefined }), entry('deadly', { attempts: ATTEMPTS_MAX + 1 }), entry('good')],
    accept: (id) => (id === 'damaged' ? { status: 'damaged_gzip' } : id === 'poison' ? new Error('it cannot be read') : TAKEN),
  });
  const aside = did.filter((line) => line.includes('aside: '));
  assert.deepEqual(aside.sort(), ['damaged aside: damaged_gzip', 'deadly aside: too_many_attempts', 'foreign aside: not_sealed', 'poison aside: failed']);
  assert.ok(did.indexOf('settled good') < did.indexOf('poison aside: failed'), 'a good one does not wait for it');
  assert.deepEqual([asked.get('poison'), asked.has('deadly')], [5, false]);
});

test('a batch for which the store has no room now is asked again', async () => {
  const { did, asked } = await drain({ entries: [entry('1')], accept: (_, times) => (times < 9 ? { status: 'busy' } : TAKEN) });
  assert.deepEqual([did, asked.get('1')], [['settled 1'], 9]);
});

test('while the store is away an entry waits, however often it was handed out, and is stored when the store is back', async () => {
  let up = false;
  const accept = (_: string, asked: number) => {
    up = asked > 40;
    return up ? TAKEN : new Error('away');
  };
  const { did } = await drain({ entries: [entry('1', { attempts: ATTEMPTS_MAX + 1 })], accept, storeIsUp: () => up });
  assert.deepEqual(did, ['a batch of the stream cannot be stored; it is tried again', 'settled 1']);
});

test('what the store refuses of a batch whose sender is gone is reported, and a stream that was away is read again', async () => {
  const partly: IntakeReply = { status: 'taken', outcome: { lines: 2, accepted: 1, added: 1, refused: { retracted: { count: 1 } } } };
  const { did } = await drain({ entries: [new Error('gone'), new Error('gone'), entry('1')], accept: () => partly });
  assert.deepEqual(did, [
    'the stream of the intake cannot be read; what waits in it is stored later',
    'the stream of the intake can be read again',
    'settled 1',
    'the store refused captures of a batch that had waited',
  ]);
});

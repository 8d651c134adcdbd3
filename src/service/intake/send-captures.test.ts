import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaptureSpool, PackedCaptures, SendResult } from './intake-ports.ts';
import { sendCaptures } from './send-captures.ts';

/** Delivers batches to a receiver with these results, in order, and logs each. It ends when no work is left. */
async function deliver(ids: readonly string[], results: readonly (SendResult | Error)[], chance = 0) {
  const waiting = ids.map((id): PackedCaptures => ({ id, body: new Uint8Array(), isFinal: false }));
  const stop = new AbortController();
  const [sent, aside, pauses, logged]: [string[], string[], number[], string[]] = [[], [], [], []];
  const take = (id: string): void =>
    void waiting.splice(
      waiting.findIndex((batch) => batch.id === id),
      1,
    );
  const spool: CaptureSpool = {
    put: () => Promise.reject(new Error('not asked for')),
    oldest: () => Promise.resolve(waiting[0]),
    finish: () => Promise.reject(new Error('not asked for')),
    remove: (id) => Promise.resolve(take(id)),
    setAside: (id) => Promise.resolve(void aside.push(id)).then(() => take(id)),
    state: { batches: 0, bytes: 0, dropped: 0 },
  };
  const note = (_: object, message: string): void => void logged.push(message);
  let answered = 0;
  await sendCaptures({
    spool,
    receiver: {
      send({ id }) {
        sent.push(id);
        const result = results[answered++]!;
        return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
      },
      close: () => Promise.resolve(),
    },
    signal: stop.signal,
    pause: (ms, untilPut) => {
      if (untilPut) stop.abort();
      else pauses.push(ms);
      return Promise.resolve();
    },
    random: () => chance,
    log: { warn: note, error: note, info: note },
  });
  return { sent, aside, pauses, logged, left: waiting.map(({ id }) => id) };
}

const TAKEN: SendResult = { status: 'taken', replayed: false, accepted: 1, refused: 0 };
const LATER: SendResult = { status: 'later', reason: '503' };

test('a batch is sent until it was taken, before the next one, and then leaves the spool', async () => {
  const { sent, left, logged } = await deliver(['a', 'b'], [LATER, LATER, TAKEN, TAKEN]);
  assert.deepEqual([sent, left], [['a', 'a', 'a', 'b'], []]);
  assert.equal(logged.at(-1), 'captures are delivered again');
});

test('waits double up to a minute, half of each by chance, and begin again after a success', async () => {
  const failures = Array.from({ length: 9 }, () => LATER);
  assert.deepEqual(
    (await deliver(['a', 'b'], [...failures, TAKEN, LATER, TAKEN])).pauses,
    [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 500],
  );
  assert.deepEqual((await deliver(['a'], [LATER, LATER, TAKEN], 0.5)).pauses, [750, 1500]);
});

test('the wait a receiver asks for is kept in full, up to an hour', async () => {
  const asked = (retryAfterMs: number): SendResult => ({ status: 'later', reason: '429', retryAfterMs });
  assert.deepEqual((await deliver(['a'], [asked(20_000), asked(9_000_000), TAKEN])).pauses, [20_500, 3_601_000]);
});

test('a batch that will never be taken is put aside and does not stop the others', async () => {
  const { sent, aside, left } = await deliver(['a', 'b'], [{ status: 'refused', reason: '400' }, TAKEN]);
  assert.deepEqual([sent, aside, left], [['a', 'b'], ['a'], []]);
});

test('a disk that cannot be read is tried again, and nothing is forgotten', async () => {
  const { sent, pauses, left } = await deliver(['a'], [new Error('EIO'), TAKEN]);
  assert.deepEqual([sent, pauses, left], [['a', 'a'], [500], []]);
});

test('a batch is made final before it is first sent, kept like that, and sent the same each time', async () => {
  const events: string[] = [];
  const stop = new AbortController();
  let waiting: PackedCaptures | undefined = { id: 'a', body: Uint8Array.of(1), isFinal: false };
  let finishable = false;
  let sends = 0;
  await sendCaptures({
    spool: {
      put: () => Promise.reject(new Error('not asked for')),
      oldest: () => Promise.resolve(waiting),
      finish(id, body) {
        events.push(`kept ${body}`);
        waiting = { id, body, isFinal: true };
        return Promise.resolve();
      },
      remove() {
        waiting = undefined;
        return Promise.resolve();
      },
      setAside: () => Promise.reject(new Error('not asked for')),
      state: { batches: 0, bytes: 0, dropped: 0 },
    },
    receiver: {
      finish({ body }) {
        events.push(`finish ${body}`);
        const result = finishable ? ({ status: 'finished', body: Uint8Array.of(2) } as const) : LATER;
        finishable = true;
        return Promise.resolve(result);
      },
      send({ body }) {
        events.push(`send ${body}`);
        sends += 1;
        return Promise.resolve(sends === 1 ? LATER : TAKEN);
      },
      close: () => Promise.resolve(),
    },
    signal: stop.signal,
    pause: (_, untilPut) => Promise.resolve(untilPut ? stop.abort() : undefined),
    random: () => 0,
    log: { warn() {}, error() {}, info() {} },
  });
  assert.deepEqual(events, ['finish 1', 'finish 1', 'kept 2', 'send 2', 'send 2']);
});

test('a sensor without captures shows that it is alive, once a pause, and a batch does that by itself', async () => {
  const stop = new AbortController();
  const [events, logged]: [string[], string[]] = [[], []];
  const waiting: PackedCaptures[] = [];
  const answers = [undefined, 'ECONNREFUSED', 'ECONNREFUSED', undefined];
  const note = (_: object, message: string): void => void logged.push(message);
  await sendCaptures({
    spool: {
      put: () => Promise.reject(new Error('not asked for')),
      oldest: () => Promise.resolve(waiting[0]),
      finish: () => Promise.reject(new Error('not asked for')),
      remove: () => Promise.resolve(void waiting.shift()),
      setAside: () => Promise.reject(new Error('not asked for')),
      state: { batches: 0, bytes: 0, dropped: 0 },
    },
    receiver: {
      send: ({ id }) => Promise.resolve(void events.push(id)).then(() => TAKEN),
      heartbeat: () => Promise.resolve(void events.push('beat')).then(() => answers.shift()),
      close: () => Promise.resolve(),
    },
    signal: stop.signal,
    pause: () => {
      events.push('pause');
      if (events.length === 4) waiting.push({ id: 'batch', body: new Uint8Array(), isFinal: true });
      if (events.filter((event) => event === 'pause').length === 5) stop.abort();
      return Promise.resolve();
    },
    random: () => 0,
    log: { warn: note, error: note, info: note },
  });
  assert.deepEqual(events, ['beat', 'pause', 'beat', 'pause', 'batch', 'pause', 'beat', 'pause', 'beat', 'pause']);
  assert.deepEqual(logged, [
    'the service does not hear this sensor; captures would wait in the spool',
    'the service hears this sensor again',
  ]);
});

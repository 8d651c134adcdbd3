import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './eventually.ts';

test('the first answer that is not false and not thrown is returned', async () => {
  let attempts = 0;
  const answer = await eventually(
    () => {
      attempts++;
      if (attempts === 1) throw new Error('too early');
      return attempts === 3 ? 'there' : false;
    },
    { everyMs: 1 },
  );
  assert.deepEqual([answer, attempts], ['there', 3]);
});

test('after the deadline the last failure is the cause, and the hint is in the message', async () => {
  const last = new Error('still not');
  const failing = (): never => {
    throw last;
  };
  await assert.rejects(
    eventually(failing, { withinMs: 5, everyMs: 1, hint: () => 'log of the server' }),
    (error: Error) => {
      assert.equal(error.cause, last);
      return /within 5 ms: still not\nlog of the server$/.test(error.message);
    },
  );
});

test('false for ever is a failure too', () =>
  assert.rejects(
    eventually(() => false, { withinMs: 5, everyMs: 1 }),
    /did not hold within 5 ms$/,
  ));

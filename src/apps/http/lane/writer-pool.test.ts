import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { WriterPool } from './answer-ip-batch.ts';

const response = (): ServerResponse => new EventEmitter() as ServerResponse;

test('a writer serves again once its answer was sent, and never while it may be on its way or after it broke off', () => {
  const pool = new WriterPool();
  const [first, second] = [response(), response()];
  const writer = pool.takeFor(first);
  assert.notEqual(pool.takeFor(second), writer);
  second.emit('close');
  assert.notEqual(pool.takeFor(response()), writer);
  first.emit('finish');
  first.emit('close');
  assert.equal(pool.takeFor(response()), writer);
  assert.notEqual(pool.takeFor(response()), writer);
});

test('the pool has a bound: writers that grew large, and more than a few, are let go', () => {
  const pool = new WriterPool();
  const large = response();
  const grown = pool.takeFor(large);
  grown.room(3 * 1024 * 1024);
  large.emit('finish');
  assert.notEqual(pool.takeFor(response()), grown);
  const responses = Array.from({ length: 20 }, response);
  const writers = new Set(responses.map((one) => pool.takeFor(one)));
  for (const one of responses) one.emit('finish');
  const again = responses.map(() => pool.takeFor(response()));
  assert.equal(again.filter((one) => writers.has(one)).length, 8);
});

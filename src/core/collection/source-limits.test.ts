import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SourceLimits } from './source-limits.ts';

const limits = () => new SourceLimits({ openMax: 4, openOfSourceMax: 2, perMinuteMax: 6, perMinuteOfSourceMax: 3 });

test('open connections are bounded for one source and for all, and room comes back', () => {
  const held = limits();
  assert.deepEqual(
    [held.admit('a', 0), held.admit('a', 0), held.admit('a', 0)],
    [undefined, undefined, 'open_of_source'],
  );
  assert.deepEqual([held.admit('b', 0), held.admit('b', 0), held.admit('c', 0)], [undefined, undefined, 'open']);
  held.release('b');
  assert.equal(held.admit('c', 0), undefined);
  assert.deepEqual(held.held, { open: 4, sources: 3 });
});

test('new connections are bounded for a minute, for one source and for all', () => {
  const held = limits();
  const visit = (source: string, at: number): string | undefined => {
    const refusal = held.admit(source, at);
    if (refusal === undefined) held.release(source);
    return refusal;
  };
  assert.deepEqual(
    [1, 2, 3, 4].map(() => visit('a', 0)),
    [undefined, undefined, undefined, 'rate_of_source'],
  );
  const found = [1, 2, 3, 4].map((i) => visit(`b${i}`, 59_999));
  assert.deepEqual(found, [undefined, undefined, undefined, 'rate']);
  assert.equal(visit('a', 60_000), undefined);
});

test('twice as many sources as are kept are remembered in bounded memory, and one with an open connection is never forgotten', () => {
  const held = new SourceLimits({
    openMax: 10,
    openOfSourceMax: 2,
    perMinuteMax: Number.POSITIVE_INFINITY,
    perMinuteOfSourceMax: 3,
  });
  assert.equal(held.admit('stays', 0), undefined);
  for (let i = 0; i < 2 * 65_536; i++) {
    if (held.admit(`s${i}`, 0) !== undefined) assert.fail(`source ${i} was refused`);
    held.release(`s${i}`);
  }
  held.release('stays');
  assert.equal(held.held.open, 0);
  assert.ok(held.held.sources <= 65_536, `${held.held.sources}`);
});

test('to release more than was admitted is a fault', () => {
  assert.throws(() => limits().release('a'), /not admitted/);
});

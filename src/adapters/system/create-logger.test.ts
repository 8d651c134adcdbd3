import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { createLogger } from './create-logger.ts';

test('equal lines are folded, and lines about different things are not', () => {
  covers('LOG-NAMES');
  const lines: string[] = [];
  const log = createLogger('info', { write: (line) => lines.push(line) });
  for (const feed of ['a', 'b', 'c', 'd']) log.warn({ feed, reason: `${feed} is gone` }, 'a feed failed');
  for (let n = 0; n < 3; n += 1) log.warn({ feed: 'a', reason: 'a is gone', request: n }, 'a feed failed');
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { readonly feed: string }).feed),
    ['a', 'b', 'c', 'd'],
  );
});

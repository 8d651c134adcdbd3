import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataThread } from './data-thread.ts';

test('a call that fails is refused with its own reason, and the calls behind it with theirs', async () => {
  const thread = new DataThread(() => {});
  const path = import.meta.filename;
  const asked = [1, 2].map(() => thread.verify({ path }, ['checksums']));
  for (const one of await Promise.allSettled(asked))
    assert.match(String(one.status === 'rejected' && one.reason), /not a usable image/);
  const { readings } = await thread.merge({ family: 4, layers: [], lists: [], place: false, network: true });
  assert.deepEqual(readings, [], 'the thread goes on');
  await thread.end();
});

test('a call under way fails when the thread is ended', async () => {
  const thread = new DataThread(() => {});
  const [merged] = await Promise.allSettled([
    thread.merge({ family: 4, layers: [], lists: [], place: false, network: true }),
    thread.end(),
  ]);
  assert.match(String(merged.status === 'rejected' && merged.reason), /ended early/);
});

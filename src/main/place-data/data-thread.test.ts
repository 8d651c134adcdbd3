import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataThread } from './data-thread.ts';

test('a thread that fails refuses the request it failed at, the ones that waited behind it, and later ones', async () => {
  const thread = new DataThread(() => {});
  const noImage = new SharedArrayBuffer(100);
  const asked = [thread.verify(noImage, ['checksums']), thread.verify(noImage, ['checksums'])];
  for (const one of await Promise.allSettled(asked)) assert.match(String(one.status === 'rejected' && one.reason), /not a usable image/);
  await assert.rejects(thread.verify(noImage, ['checksums']), /not a usable image/);
  await thread.end();
});

test('a thread that was ended refuses what is asked of it', async () => {
  const thread = new DataThread(() => {});
  await thread.end();
  await assert.rejects(thread.merge({ family: 4, layers: [], lists: [], place: false, network: true }), /ended early/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import type { UnixMs } from '../../core/units.ts';
import { emptyEvidence } from '../../engine/evidence/empty-evidence.ts';
import { checkImage } from './check-image.ts';

const META = { dataVersion: 'v7', builtAt: 7 as UnixMs, store: 'store', sequence: 7, mark: 'm7' };

/** Returns the bytes in memory that threads share, as a file is read. */
function shared(bytes: Uint8Array): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

test('a sound image passes, and a damaged one is refused with its faults', async () => {
  const { image } = emptyEvidence(META, FIXED_SEED);
  await checkImage(shared(new Uint8Array(image.buffer)), 'evidence', 'everything');
  const bytes = new Uint8Array(image.buffer.slice(0) as ArrayBuffer);
  bytes[image.entries.find(({ id }) => id === 'H4BM')!.offset]! ^= 1;
  await assert.rejects(checkImage(shared(bytes), 'evidence', 'everything'), /H4BM/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import type { UnixMs } from '../../core/units.ts';
import { emptyEvidence, openEvidence } from '../../engine/evidence/evidence-image.ts';
import { buildImage, Image, jsonSection } from '../../engine/image.ts';
import { checkImage } from './check-image.ts';

const META = { dataVersion: 'v7', builtAt: 7 as UnixMs, store: 'store', sequence: 7, mark: 'm7' };

/** In memory that threads share, as a file is read. */
function shared(bytes: Uint8Array): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

/** As the version before wrote it. */
function withoutSeed(image: Image): Uint8Array<ArrayBuffer> {
  const { seed: _, ...meta } = image.json('META') as { readonly seed: unknown };
  return buildImage('evidence', image.entries.map(({ id }) => (id === 'META' ? jsonSection(id, meta) : { id, data: image.bytes(id) }))); // biome-ignore format: one row
}

test('an image of this version is used as it is; for one of a version without seeds stands the same state, each time with another seed', async () => {
  const { image } = emptyEvidence(META, FIXED_SEED);
  const now = shared(new Uint8Array(image.buffer));
  assert.equal(await checkImage(now, 'evidence', 'everything'), now);
  const before = withoutSeed(image);
  const [one, other] = [openEvidence(await checkImage(shared(before), 'evidence', 'everything')), openEvidence(await checkImage(shared(before), 'evidence', 'everything'))]; // biome-ignore format: one row
  assert.deepEqual(one.meta, META);
  assert.notDeepEqual(one.seed, other.seed);
});

test('a damaged image is refused with its faults, with a seed and without', async () => {
  const { image } = emptyEvidence(META, FIXED_SEED);
  const before = withoutSeed(image);
  for (const bytes of [new Uint8Array(image.buffer.slice(0) as ArrayBuffer), before]) {
    const { offset } = new Image(bytes.buffer, 'evidence').entries.find(({ id }) => id === 'H4BM')!;
    bytes[offset]! ^= 1;
    await assert.rejects(checkImage(shared(bytes), 'evidence', 'everything'), /H4BM/);
  }
});

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { unixMs } from '../../core/units.ts';
import { NOWHERE } from '../../engine/evidence/evidence-delta.ts';
import { emptyEvidence } from '../../engine/evidence/evidence-image.ts';
import { buildImage, Image, ImageError, jsonSection } from '../../engine/image.ts';
import { ImageFolder } from './image-folder.ts';
import { PublishedImages } from './published-images.ts';
import { readImageFile } from './read-image-file.ts';

const image = (version: number): Uint8Array<ArrayBuffer> =>
  buildImage('assistants', [jsonSection('META', { version }), { id: 'DATA', data: new Uint32Array(5000).fill(version) }]);

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pulse-images-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'assistants');
}

const never = (file: string, error: Error): void => assert.fail(`${file}: ${error.message}`);

test('an empty folder has no image, and that is not a fault', async (t) => {
  const images = new PublishedImages(new ImageFolder(await folderFor(t)), 'assistants');
  assert.equal(await images.current(), undefined);
  assert.equal(await images.load(never), undefined);
});

test('what was published is what is loaded, in shared memory, and the file before it is kept', async (t) => {
  const folder = await folderFor(t);
  const images = new PublishedImages(new ImageFolder(folder), 'assistants');
  const names = [];
  for (const version of [1, 2, 3]) names.push(await images.publish(image(version)));
  const loaded = await images.load(never);
  assert.ok(loaded?.buffer instanceof SharedArrayBuffer);
  assert.equal(loaded.file, names[2]);
  assert.deepEqual(new Image(loaded.buffer, 'assistants').json('META'), { version: 3 });
  assert.deepEqual((await readdir(folder)).sort(), [names[1], names[2], 'current.json'].sort());
  assert.equal(await images.publish(image(3)), names[2]);
  assert.deepEqual(JSON.parse(await readFile(join(folder, 'current.json'), 'utf8')), { current: names[2], previous: names[1] });
});

test('a damaged or cut-off current file is refused by name and the one before serves', async (t) => {
  const folder = await folderFor(t);
  const images = new PublishedImages(new ImageFolder(folder), 'assistants');
  const first = await images.publish(image(1));
  const second = await images.publish(image(2));
  const path = join(folder, second);
  const sound = await readFile(path);
  const spoil: readonly (() => Promise<void>)[] = [
    () => truncate(path, 100),
    () => truncate(path, sound.length - 64),
    () => writeFile(path, ''),
    () => writeFile(path, sound.with(9000, sound[9000]! ^ 1)),
    () => rm(path),
  ];
  for (const act of spoil) {
    await writeFile(path, sound);
    await act();
    const refused: string[] = [];
    const loaded = await images.load((file) => refused.push(file));
    assert.equal(loaded?.file, first);
    assert.deepEqual(refused, [second]);
  }
});

test('a file with right checksums that does not hold what its kind promises is refused as well', async (t) => {
  const images = new PublishedImages(new ImageFolder(await folderFor(t)), 'evidence');
  const { buffer } = emptyEvidence({ dataVersion: '1', builtAt: unixMs(0), ...NOWHERE }, FIXED_SEED).image;
  const sound = await images.publish(new Uint8Array(buffer));
  const hollow = await images.publish(buildImage('evidence', [jsonSection('META', { seed: FIXED_SEED })]));
  const refused: string[] = [];
  const loaded = await images.load((file, { message }) => refused.push(file, message));
  assert.deepEqual([loaded?.file, refused], [sound, [hollow, 'not a usable image: its metadata is incomplete']]);
});

test('publishing the bytes of a damaged current file writes it again', async (t) => {
  const folder = await folderFor(t);
  const images = new PublishedImages(new ImageFolder(folder), 'assistants');
  const first = await images.publish(image(1));
  const second = await images.publish(image(2));
  await truncate(join(folder, second), 128);
  assert.equal(await images.publish(image(2)), second);
  assert.equal((await images.load(never))?.file, second);
  assert.deepEqual(JSON.parse(await readFile(join(folder, 'current.json'), 'utf8')), { current: second, previous: first });
});

test('bytes that are not a sound image of the kind are never published', async (t) => {
  const folder = await folderFor(t);
  const images = new PublishedImages(new ImageFolder(folder), 'assistants');
  const name = await images.publish(image(1));
  const broken = image(2);
  broken[broken.length - 100]! ^= 1;
  await assert.rejects(images.publish(broken), ImageError);
  await assert.rejects(images.publish(new Uint8Array(640)), ImageError);
  await assert.rejects(new PublishedImages(new ImageFolder(folder), 'geo').publish(image(2)), ImageError);
  assert.equal(await images.current(), name);
  await assert.rejects(readImageFile(join(folder, name), 'geo'), /does not hold geo data/);
});

test('a pointer that names nothing usable is as no pointer', async (t) => {
  const folder = await folderFor(t);
  const images = new PublishedImages(new ImageFolder(folder), 'assistants');
  await images.publish(image(1));
  for (const text of ['', '{', '[]', '{"current":"../../etc/passwd"}', '{"current":7}']) {
    await writeFile(join(folder, 'current.json'), text);
    assert.equal(await images.current(), undefined, text);
  }
  assert.ok(await images.publish(image(2)));
});

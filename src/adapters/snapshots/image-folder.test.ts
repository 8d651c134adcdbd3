import assert from 'node:assert/strict';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { unixMs } from '../../core/units.ts';
import { emptyEvidence } from '../../engine/evidence/empty-evidence.ts';
import { NO_POSITION } from '../../engine/evidence/evidence-delta.ts';
import { buildImage, Image, ImageError, type ImageKind, jsonSection } from '../../engine/image.ts';
import { ImageFolder, readImageFile } from './image-folder.ts';
import { PublishedImages, type PublishedOptions, TakenSequencesFile } from './published-images.ts';
import { SealedPointerError, type SnapshotKeys } from './sealed-pointer.ts';

const image = (version: number): Uint8Array<ArrayBuffer> =>
  buildImage('assistants', [
    jsonSection('META', { version }),
    { id: 'DATA', data: new Uint32Array(5000).fill(version) },
  ]);

const newFolder = (): string => join(testFolder('images'), 'assistants');

const KEYS: SnapshotKeys = { current: Buffer.alloc(32, 1), former: [] };
const open = (
  folder: string,
  kind: ImageKind = 'assistants',
  options: Partial<PublishedOptions> = {},
): PublishedImages => new PublishedImages(new ImageFolder(folder), kind, { keys: KEYS, ...options });
const never = (file: string, error: Error): void => assert.fail(`${file}: ${error.message}`);

const pointerOf = async (
  folder: string,
): Promise<{ current: string; previous: string; seal: Record<string, unknown> }> =>
  JSON.parse(await readFile(join(folder, 'current.json'), 'utf8'));
const replacePointer = (folder: string, pointer: unknown): Promise<void> =>
  writeFile(join(folder, 'current.json'), JSON.stringify(pointer));

test('an empty folder has no image, and that is not a fault', async () => {
  const images = open(newFolder());
  assert.equal(await images.current(), undefined);
  assert.equal(await images.load(never), undefined);
});

test('the published image is the one loaded, in shared memory, and the file before it is kept', async () => {
  const folder = newFolder();
  const images = open(folder);
  const names = [];
  for (const version of [1, 2, 3]) names.push(await images.publish(image(version)));
  const loaded = await images.load(never);
  assert.ok(loaded?.image instanceof SharedArrayBuffer);
  assert.equal(loaded.file, names[2]);
  assert.deepEqual(new Image(loaded.image, 'assistants').json('META'), { version: 3 });
  assert.deepEqual((await readdir(folder)).sort(), [names[1], names[2], 'current.json'].sort());
  assert.equal(await images.publish(image(3)), names[2]);
  const { seal, ...pointer } = await pointerOf(folder);
  assert.deepEqual(pointer, { current: names[2], previous: names[1] }, 'versions that know no seals read these names');
  assert.deepEqual(Object.keys(seal), ['sequence', 'published_at', 'current_sha256', 'previous_sha256', 'mac']);
});

test('a damaged or cut-off current file is refused by name and the one before serves', async () => {
  const folder = newFolder();
  const images = open(folder);
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

test('a file with right checksums that breaks the promises of its kind is refused as well', async () => {
  const images = open(newFolder(), 'evidence');
  const { buffer } = emptyEvidence({ dataVersion: '1', builtAt: unixMs(0), ...NO_POSITION }, FIXED_SEED).image;
  const sound = await images.publish(new Uint8Array(buffer));
  const hollow = await images.publish(buildImage('evidence', [jsonSection('META', { seed: FIXED_SEED })]));
  const refused: string[] = [];
  const loaded = await images.load((file, { message }) => refused.push(file, message));
  assert.deepEqual([loaded?.file, refused], [sound, [hollow, 'not a usable image: its metadata is incomplete']]);
});

test('publishing the bytes of a damaged current file writes it again', async () => {
  const folder = newFolder();
  const images = open(folder);
  const first = await images.publish(image(1));
  const second = await images.publish(image(2));
  await truncate(join(folder, second), 128);
  assert.equal(await images.publish(image(2)), second);
  assert.equal((await images.load(never))?.file, second);
  const { current, previous } = await pointerOf(folder);
  assert.deepEqual([current, previous], [second, first]);
});

test('bytes that are not a sound image of the kind are never published', async () => {
  const folder = newFolder();
  const images = open(folder);
  const name = await images.publish(image(1));
  const broken = image(2);
  broken[broken.length - 100]! ^= 1;
  await assert.rejects(images.publish(broken), ImageError);
  await assert.rejects(images.publish(new Uint8Array(640)), ImageError);
  await assert.rejects(open(folder, 'geo').publish(image(2)), ImageError);
  assert.equal(await images.current(), name);
  await assert.rejects(readImageFile(join(folder, name), 'geo'), /does not hold geo data/);
});

test('a pointer that this deployment did not seal is refused, and the next publication takes its place', async () => {
  const folder = newFolder();
  const images = open(folder);
  await images.publish(image(1));
  const name = await images.publish(image(2));
  const sealed = await pointerOf(folder);
  const { seal, ...unsealed } = sealed;
  const digest = 'a'.repeat(64);
  const false_: readonly unknown[] = [
    unsealed,
    {},
    [],
    { ...sealed, current: '../../etc/passwd' },
    { ...sealed, current: sealed.previous, previous: sealed.current },
    { current: sealed.current, seal },
    ...Object.entries({
      sequence: (seal['sequence'] as number) + 1,
      published_at: 'now',
      current_sha256: digest,
      previous_sha256: digest,
      mac: 'AAAA',
    }).map(([field, value]) => ({ ...sealed, seal: { ...seal, [field]: value } })),
  ];
  for (const pointer of false_) {
    await replacePointer(folder, pointer);
    await assert.rejects(images.current(), SealedPointerError, JSON.stringify(pointer));
    await assert.rejects(images.load(never), SealedPointerError);
  }
  await writeFile(join(folder, 'current.json'), '{');
  await assert.rejects(images.current(), /has no seal/);
  assert.equal(await images.publish(image(2)), name);
  assert.equal((await images.load(never))?.file, name);
});

test('a seal holds for one kind and one secret; a former secret is accepted, and sealed again by the node that publishes', async () => {
  const folder = newFolder();
  const name = await open(folder).publish(image(1));
  const rotated: SnapshotKeys = { current: Buffer.alloc(32, 2), former: [KEYS.current] };
  await assert.rejects(open(folder, 'geo').current(), /another secret/);
  await assert.rejects(open(folder, 'assistants', { keys: { ...rotated, former: [] } }).current(), /another secret/);
  assert.equal(await open(folder, 'assistants', { keys: rotated }).current(), name);
  await open(folder, 'assistants', { keys: rotated }).publish(image(1));
  await assert.rejects(open(folder).current(), /another secret/);
  assert.equal((await open(folder, 'assistants', { keys: { ...rotated, former: [] } }).load(never))?.file, name);
});

test('an image under the name of the published one is refused when it has other bytes, however sound they are', async () => {
  const folder = newFolder();
  const images = open(folder);
  const [first, second] = [await images.publish(image(1)), await images.publish(image(2))];
  await writeFile(join(folder, second), image(3));
  const refused: string[] = [];
  const loaded = await images.load((file, { message }) => refused.push(file, message));
  assert.deepEqual(
    [loaded?.file, refused],
    [first, [second, 'not a usable image: these are not the bytes that were published']],
  );
});

test('an old publication that is put back is refused, also by a node that starts again, and never hinders a new one', async () => {
  const folder = newFolder();
  const publisher = open(folder);
  const record = join(folder, 'taken.json');
  const node = (): PublishedImages => open(folder, 'assistants', { taken: new TakenSequencesFile(record) });
  await publisher.publish(image(1));
  const old = await pointerOf(folder);
  const running = node();
  await running.current();
  await publisher.publish(image(2));
  await running.current();
  await replacePointer(folder, old);
  for (const reader of [running, node()])
    await assert.rejects(reader.current(), /the publication of .*Z, and that of .*Z was followed before/);
  const third = await publisher.publish(image(3));
  for (const reader of [running, node()]) assert.equal((await reader.load(never))?.file, third);
});

test('sequences grow while the clock of the publisher stands or goes back', async (t) => {
  const folder = newFolder();
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
  const sequenceOf = async (version: number): Promise<unknown> => {
    await open(folder).publish(image(version));
    return (await pointerOf(folder)).seal['sequence'];
  };
  const sequences = [await sequenceOf(1), await sequenceOf(2)];
  t.mock.timers.setTime(5000);
  assert.deepEqual([...sequences, await sequenceOf(3)], [1_000_000, 1_000_001, 1_000_002]);
});

test('a damaged record of followed images stops following and names the file', async () => {
  const folder = newFolder();
  await open(folder).publish(image(1));
  const record = join(folder, 'taken.json');
  for (const text of ['', '[1]', '{"assistants":"2"}']) {
    await writeFile(record, text);
    await assert.rejects(
      open(folder, 'assistants', { taken: new TakenSequencesFile(record) }).current(),
      /taken\.json is damaged; delete it/,
    );
  }
});

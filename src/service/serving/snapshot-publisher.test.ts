import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { ImageFolder } from '../../adapters/snapshots/image-folder.ts';
import { KeptImages } from '../../adapters/snapshots/kept-images.ts';
import { openShared, PublishedImages, TakenSequencesFile } from '../../adapters/snapshots/published-images.ts';
import { SealedPointerError } from '../../adapters/snapshots/sealed-pointer.ts';
import { buildImage, Image, type ImageKind, jsonSection } from '../../engine/image.ts';
import { SnapshotPublisher } from './snapshot-publisher.ts';

const keys = { current: new Uint8Array(32).fill(7), former: [] };
const image = (version: number): Uint8Array =>
  buildImage('assistants', [jsonSection('META', { version }), { id: 'DATA', data: new Uint32Array(8).fill(version) }]);
const never = (file: string, error: Error): void => assert.fail(`${file}: ${error.message}`);

/** A folder whose pointer is written when the test says so: the write of a slow publisher. */
class SlowFolder extends ImageFolder {
  release: () => void = () => {};
  readonly #gate = new Promise<void>((resolve) => {
    this.release = resolve;
  });
  /** Resolves when the pointer is on its way. */
  readonly begun: Promise<void>;
  #begin: () => void = () => {};

  constructor(path: string) {
    super(path);
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  override async write(name: string, bytes: Uint8Array): Promise<void> {
    if (name === 'current.json') {
      this.#begin();
      await this.#gate;
    }
    return super.write(name, bytes);
  }
}

interface Rig {
  readonly folder: string;
  readonly publisher: SnapshotPublisher;
  readonly warned: string[];
  /** A node that takes images; it remembers those it followed. */
  readonly node: PublishedImages;
  /** Returns how often the publisher has read its pointer. */
  reads(): number;
  /** Publishes an image through the publisher. */
  send(version: number): void;
}

function rig(t: TestContext): Rig {
  const folder = testFolder('publisher');
  const warned: string[] = [];
  const place = new ImageFolder(folder);
  const text = t.mock.method(place, 'text');
  const store = new PublishedImages(place, 'assistants', { keys });
  let next = image(0);
  const log = {
    info() {},
    warn: (_fields: object, text: string) => warned.push(text),
    error: (_fields: object, text: string) => warned.push(text),
  };
  const stores = { assistants: store, geo: store, evidence: store } satisfies Record<ImageKind, PublishedImages>;
  const publisher = new SnapshotPublisher(stores, () => next, { log, publish: () => {} }, 20);
  t.after(() => publisher.stop());
  const node = new PublishedImages(new ImageFolder(folder), 'assistants', {
    keys,
    taken: new TakenSequencesFile(join(folder, 'taken.json')),
  });
  const send = (version: number): void => {
    next = image(version);
    publisher.publish({ type: 'network-lists' } as unknown as Parameters<SnapshotPublisher['publish']>[0]);
  };
  return { folder, publisher, warned, node, send, reads: () => text.mock.callCount() };
}

const versionOf = async (node: PublishedImages): Promise<number | undefined> => {
  const loaded = await node.load(never);
  return (
    loaded &&
    (new Image(openShared(loaded.image, 'assistants'), 'assistants').json('META') as { readonly version: number })
      .version
  );
};

test('of two publishers at once the slower one leaves an older pointer, which nodes refuse; the other one publishes again above it, whatever its clock says', async (t) => {
  const { folder, warned, node, send } = rig(t);
  const slow = new SlowFolder(folder);
  const other = new PublishedImages(slow, 'assistants', { keys });
  const sending = other.publish(image(1));
  await slow.begun;
  // The clock of the other machine is an hour ahead, and is put right afterwards.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 });
  send(2);
  await eventually(async () => (await versionOf(node)) === 2);
  t.mock.timers.reset();
  slow.release();
  // The faster publisher may have removed the slower one's file meanwhile.
  await sending.catch((error: Error) => assert.match(error.message, /cannot be read back/));
  await eventually(
    async () => (await versionOf(node).catch((error: unknown) => assert.ok(error instanceof SealedPointerError))) === 2,
  );
  assert.deepEqual(
    [...new Set(warned)],
    ['the pointer of published images went back behind what was published; the newest image is published again'],
  );
});

test('an old pointer that is put back is replaced by the publisher, and one that is newer stays', async (t) => {
  const { folder, node, send, reads } = rig(t);
  const pointer = join(folder, 'current.json');
  send(1);
  await eventually(async () => (await versionOf(node)) === 1);
  const old = await readFile(pointer);
  send(2);
  await eventually(async () => (await versionOf(node)) === 2);
  await writeFile(pointer, old);
  await eventually(async () => !(await readFile(pointer)).equals(old));
  assert.equal(await versionOf(node), 2);

  const other = new PublishedImages(new ImageFolder(folder), 'assistants', { keys });
  await other.publish(image(3));
  const asked = reads();
  await eventually(() => reads() > asked + 3);
  assert.equal(await versionOf(node), 3);
});

test('a place that is moved and moved back is published to again, above what nodes followed elsewhere', async () => {
  covers('IMAGES-MOVED');
  const dir = testFolder('moved');
  const taken = new TakenSequencesFile(join(dir, 'taken.json'));
  const published = (): TakenSequencesFile => new TakenSequencesFile(join(dir, 'published.json'));
  for (const place of ['a', 'b', 'a']) {
    const folder = new ImageFolder(join(dir, place));
    // Each change of the setting is a start of both nodes.
    const publisher = new PublishedImages(folder, 'assistants', { keys, published: published() });
    await publisher.publish(image(1));
    assert.equal(await versionOf(new PublishedImages(folder, 'assistants', { keys, taken })), 1, place);
  }
});

test('a publication that cannot be read back is not reported as done', async () => {
  covers('IMAGES-MOVED');
  const folder = new ImageFolder(testFolder('lost-writes'));
  folder.write = async () => {};
  const publisher = new PublishedImages(folder, 'assistants', { keys });
  await assert.rejects(publisher.publish(image(1)), /cannot be read back/);
});

test('a node keeps what it followed on its own disk, checks it, and needs no place to begin with it', async () => {
  covers('IMAGES-KEPT');
  const dir = testFolder('kept');
  const folder = new ImageFolder(join(dir, 'place'));
  await new PublishedImages(folder, 'assistants', { keys }).publish(image(4));
  const unkept: unknown[] = [];
  const kept = new KeptImages(join(dir, 'followed'), (error) => unkept.push(error));
  assert.equal(await versionOf(new PublishedImages(folder, 'assistants', { keys, kept })), 4);
  const gone = new PublishedImages(new ImageFolder(join(dir, 'gone')), 'assistants', { keys, kept });
  const begun = await gone.kept();
  assert.ok(begun !== undefined);
  await writeFile(join(dir, 'followed', 'assistants', begun.file), Buffer.alloc(200));
  assert.equal(await gone.kept(), undefined, 'a damaged copy is not used');
  assert.equal(await versionOf(new PublishedImages(folder, 'assistants', { keys, kept })), 4, 'and is made again');
  assert.deepEqual(unkept, []);
});

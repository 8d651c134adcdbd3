import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { fstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { testFolder } from '../../../test/support/test-folder.ts';
import { createDurablySync, writeDurably, writeDurablySync } from './write-durably.ts';

const filled = (value: number, bytes = 3_000_000): Uint8Array => new Uint8Array(bytes).fill(value);

/** Returns the value that all bytes of the file share. */
async function wholeValue(path: string): Promise<number> {
  const bytes = await readFile(path);
  const value = bytes[0] ?? -1;
  assert.ok(bytes.equals(filled(value)), 'the file is mixed or cut off');
  return value;
}

test('makes the folder, writes, replaces, and leaves nothing next to it', async () => {
  const folder = join(testFolder('durable'), 'a', 'b');
  const path = join(folder, 'x.img');
  await writeDurably(path, filled(1));
  assert.equal(await wholeValue(path), 1);
  await writeDurably(path, filled(2));
  assert.equal(await wholeValue(path), 2);
  await writeDurably(path, new Uint8Array(0));
  assert.equal((await readFile(path)).length, 0);
  assert.deepEqual(await readdir(folder), ['x.img']);
});

test('bytes that are part of a larger or of a shared buffer are written as they are', async () => {
  const path = join(testFolder('durable'), 'x.img');
  const shared = new Uint8Array(new SharedArrayBuffer(100)).fill(7);
  await writeDurably(path, shared.subarray(10, 20));
  assert.deepEqual([...(await readFile(path))], new Array(10).fill(7));
});

test('the bytes are synced before they take the name, and the folder after', {
  skip: process.platform === 'win32' && 'folders are not synced there',
}, async (t) => {
  const folder = testFolder('durable');
  const path = join(folder, 'x.img');
  await writeDurably(path, filled(1));
  const probe = await open(folder, 'r');
  const handles = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const seen: unknown[] = [];
  const sync = handles.sync;
  t.mock.method(handles, 'sync', async function (this: FileHandle) {
    const others = (await readdir(folder)).filter((name) => name !== 'x.img');
    const sizes = await Promise.all(others.map(async (name) => (await readFile(join(folder, name))).length));
    seen.push({ ofFolder: (await this.stat()).isDirectory(), serves: await wholeValue(path), others: sizes });
    return sync.call(this);
  });
  await writeDurably(path, filled(2));
  assert.deepEqual(seen, [
    { ofFolder: false, serves: 1, others: [3_000_000] },
    { ofFolder: true, serves: 2, others: [] },
  ]);
});

test('a write that fails leaves the old file as it was and nothing next to it', async (t) => {
  const folder = testFolder('durable');
  const path = join(folder, 'x.img');
  await writeDurably(path, filled(1));
  const probe = await open(path, 'r');
  const handles = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const full = t.mock.method(handles, 'sync', () => Promise.reject(new Error('no space left')));
  await assert.rejects(writeDurably(path, filled(2)), /no space left/);
  full.mock.restore();
  assert.equal(await wholeValue(path), 1);
  assert.deepEqual(await readdir(folder), ['x.img']);
  await mkdir(join(folder, 'taken', 'inside'), { recursive: true });
  await assert.rejects(writeDurably(join(folder, 'taken'), filled(3)));
  assert.deepEqual((await readdir(folder)).sort(), ['taken', 'x.img']);
});

test('a reader meets whole files only, also while others write', async () => {
  const folder = testFolder('durable');
  const path = join(folder, 'x.img');
  await writeDurably(path, filled(0));
  const module = JSON.stringify(new URL('./write-durably.ts', import.meta.url).href);
  const other = new Worker(
    `import(${module}).then(async ({ writeDurably }) => { for (let n = 0; n < 20; n++) await writeDurably(${JSON.stringify(path)}, new Uint8Array(3_000_000).fill(100 + n)); })`,
    { eval: true },
  );
  let writing = true;
  const ended = once(other, 'exit');
  const both = Promise.all([
    ended,
    ...[1, 2].map(async (value) => {
      for (let n = 0; n < 20; n += 1) await writeDurably(path, filled(value));
    }),
  ]);
  void both.finally(() => {
    writing = false;
  });
  const met = new Set<number>();
  while (writing) met.add(await wholeValue(path));
  assert.deepEqual((await both)[0], [0]);
  assert.ok(met.size > 1);
  assert.deepEqual(await readdir(folder), ['x.img']);
});

test('killed in the middle of a write, the old file is whole; the leftover next to it goes with a write an hour later', async (t) => {
  const folder = testFolder('durable');
  const path = join(folder, 'x.img');
  await writeDurably(path, filled(1));
  const module = JSON.stringify(new URL('./write-durably.ts', import.meta.url).href);
  // The file's sync never ends, so the kill finds the part written but not renamed.
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { open } from 'node:fs/promises';
     const handle = await open(process.execPath, 'r');
     Object.getPrototypeOf(handle).sync = () => { console.log('written'); return new Promise(() => setInterval(() => {}, 1000)); };
     const { writeDurably } = await import(${module});
     await writeDurably(${JSON.stringify(path)}, new Uint8Array(3_000_000).fill(2));`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(await wholeValue(path), 1);
  const left = (await readdir(folder)).filter((name) => name !== 'x.img');
  assert.equal(left.length, 1);
  await writeFile(join(folder, 'notes.part'), 'another program’s');
  await writeDurably(path, filled(3));
  assert.deepEqual((await readdir(folder)).sort(), [...left, 'notes.part', 'x.img'].sort(), 'it may still be written');
  const hourAgo = new Date(Date.now() - 3_700_000);
  for (const name of [...left, 'notes.part']) await utimes(join(folder, name), hourAgo, hourAgo);
  await writeDurably(path, filled(4));
  assert.deepEqual((await readdir(folder)).sort(), ['notes.part', 'x.img']);
});

/**
 * Records each sync during `write`: whether it is the folder's, the content under the final name, and the
 * sizes of the other files at that moment.
 */
function syncsOf(t: TestContext, folder: string, name: string, write: () => void): readonly unknown[] {
  const seen: unknown[] = [];
  const { fsyncSync } = fs;
  const mock = t.mock.method(fs, 'fsyncSync', (fd: number) => {
    const names = readdirSync(folder);
    const parts = names.filter((one) => one !== name).map((one) => readFileSync(join(folder, one)).length);
    const serves = names.includes(name) ? readFileSync(join(folder, name), 'utf8') : undefined;
    seen.push({ ofFolder: fstatSync(fd).isDirectory(), serves, parts });
    fsyncSync(fd);
  });
  syncBuiltinESMExports();
  try {
    write();
  } finally {
    mock.mock.restore();
    syncBuiltinESMExports();
  }
  return seen;
}

test('the waiting form syncs the content before it takes the name and the folder after, replacing or creating', {
  skip: process.platform === 'win32' && 'folders are not synced there',
}, async (t) => {
  const folder = testFolder('durable');
  const path = join(folder, 'x.json');
  const first = syncsOf(t, folder, 'x.json', () => assert.equal(createDurablySync(path, 'one', 0o600), true));
  assert.deepEqual(first, [
    { ofFolder: false, serves: undefined, parts: [3] },
    { ofFolder: true, serves: 'one', parts: [] },
  ]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const second = syncsOf(t, folder, 'x.json', () => writeDurablySync(path, 'three'));
  assert.deepEqual(second, [
    { ofFolder: false, serves: 'one', parts: [5] },
    { ofFolder: true, serves: 'three', parts: [] },
  ]);
});

test('a file that is there is not created again, and a failed write of the waiting form leaves nothing', async () => {
  const folder = testFolder('durable');
  const path = join(folder, 'secret');
  assert.equal(createDurablySync(path, 'first'), true);
  assert.equal(createDurablySync(path, 'second'), false);
  assert.equal(await readFile(path, 'utf8'), 'first');
  await mkdir(join(folder, 'taken', 'inside'), { recursive: true });
  assert.throws(() => writeDurablySync(join(folder, 'taken'), 'x'));
  assert.deepEqual((await readdir(folder)).sort(), ['secret', 'taken']);
});

test('a part that another process takes for a left one, because the clock was put forward, is written again', async (t) => {
  const folder = testFolder('durable');
  const path = join(folder, 'x.img');
  const probe = await open(folder, 'r');
  const handles = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const sync = handles.sync;
  const taken: string[] = [];
  const clearAway = (): void => {
    const hourAgo = new Date(Date.now() - 3_700_000);
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.part'))) {
      taken.push(name);
      fs.utimesSync(join(folder, name), hourAgo, hourAgo);
    }
    writeDurablySync(join(folder, 'other.json'), '');
  };
  t.mock.method(handles, 'sync', async function (this: FileHandle) {
    if (taken.length === 0) clearAway();
    return sync.call(this);
  });
  await writeDurably(path, filled(1));
  assert.equal(await wholeValue(path), 1);
  assert.equal(taken.length, 1);
  assert.deepEqual((await readdir(folder)).sort(), ['other.json', 'x.img']);
});

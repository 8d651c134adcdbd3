import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { eventually } from '../../../test/support/eventually.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { dropPages, mapFile, openShared, type SharedFile, shareFile } from './map-file.ts';

const folder = testFolder('map');

/** KiB of the mapped and touched files of this process, including those in memory (tmpfs). */
const fileMemory = (): number => {
  const status = readFileSync('/proc/self/status', 'utf8');
  return ['RssFile', 'RssShmem'].reduce(
    (sum, name) => sum + Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]),
    0,
  );
};

/** Sums one byte of each page. */
function sumOfPages(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 4096) sum += bytes[at]!;
  return sum;
}

test('a mapped file is its bytes, also when another takes its name or it is removed', () => {
  const path = join(folder, 'small');
  writeFileSync(path, 'first');
  const mapped = Buffer.from(mapFile(path));
  writeFileSync(`${path}.new`, 'other');
  renameSync(`${path}.new`, path);
  assert.equal(mapped.toString(), 'first');
  rmSync(path);
  assert.equal(mapped.toString(), 'first');
});

test('only touched pages take memory', { skip: process.platform !== 'linux' }, () => {
  const path = join(folder, 'large');
  writeFileSync(path, new Uint8Array(64 * 1024 * 1024).fill(7));
  const before = fileMemory();
  const mapped = new Uint8Array(mapFile(path));
  assert.equal(mapped[40_000_000], 7);
  const touched = fileMemory() - before;
  assert.ok(touched < 16 * 1024, `${touched} KiB`);
});

test('pages that were read once can be let go, and are read again', { skip: process.platform !== 'linux' }, () => {
  const path = join(folder, 'once');
  writeFileSync(path, new Uint8Array(32 * 1024 * 1024).fill(3));
  const mapped = new Uint8Array(mapFile(path));
  for (let page = 0; page < mapped.length; page += 4096) assert.equal(mapped[page], 3);
  const touched = fileMemory();
  dropPages(mapped.buffer);
  const left = fileMemory();
  assert.ok(touched - left > 24 * 1024, `${touched - left} KiB`);
  assert.equal(mapped[20_000_000], 3);
  dropPages(new ArrayBuffer(8));
});

test('threads share the pages of a file; its memory ends with the last that holds it, and is made again for who comes later', {
  skip: process.platform !== 'linux',
}, async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const path = join(folder, 'shared');
  const PAGES = 8192;
  writeFileSync(path, new Uint8Array(PAGES * 4096).fill(9));
  const before = fileMemory();
  let shared: SharedFile | undefined = shareFile(path);
  const { mapping } = shared;
  let own: Uint8Array | undefined = new Uint8Array(openShared(shared));
  assert.equal(sumOfPages(own), 9 * PAGES);
  const reader = new Worker(
    `import { openShared } from ${JSON.stringify(new URL('./map-file.ts', import.meta.url).href)};
    import { parentPort, workerData } from 'node:worker_threads';
    ${sumOfPages}
    const bytes = new Uint8Array(openShared(workerData));
    parentPort.on('message', () => { parentPort.postMessage(sumOfPages(bytes)); parentPort.close(); });
    parentPort.postMessage('open');`,
    { eval: true, workerData: shared },
  );
  await once(reader, 'message');
  own = undefined;
  shared = undefined;
  rmSync(path);
  const users = (left: number) =>
    eventually(() => {
      collectGarbage();
      return mapping!.users[0] === left;
    });
  await users(1);
  reader.postMessage('read');
  const [sum] = await once(reader, 'message');
  assert.equal(sum, 9 * PAGES, 'it reads what was mapped, though no other holds it and the file is gone');
  const shown = fileMemory() - before;
  assert.ok(shown < 40 * 1024, `the pages are there once: ${shown} KiB`);
  await once(reader, 'exit');
  await users(0);
  assert.ok(fileMemory() - before < 8 * 1024, 'unmapped');
  writeFileSync(path, 'later');
  assert.equal(Buffer.from(openShared({ path, mapping })).toString(), 'later');
});

test('a file that cannot be mapped is an error of its own', () => {
  assert.throws(() => mapFile(join(folder, 'none')), { code: 'ENOENT' });
  writeFileSync(join(folder, 'empty'), '');
  assert.throws(() => mapFile(join(folder, 'empty')), /cannot be mapped/);
});

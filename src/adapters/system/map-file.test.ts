import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { mapFile } from './map-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'pulse-map-'));
after(() => rmSync(folder, { recursive: true }));

/** KiB of the files that this process has mapped and touched. */
const fileMemory = (): number => Number(/^RssFile:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);

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

test('a file that cannot be mapped is an error of its own', () => {
  assert.throws(() => mapFile(join(folder, 'none')), { code: 'ENOENT' });
  writeFileSync(join(folder, 'empty'), '');
  assert.throws(() => mapFile(join(folder, 'empty')), /cannot be mapped/);
});

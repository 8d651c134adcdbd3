import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-folder.ts';
import { openOutput, writeOutput } from './open-output.ts';

const NEW = Buffer.from('new');

test('a file keeps its mode and owner, and is as it was until the new one is whole', async () => {
  const folder = testFolder('output');
  const path = join(folder, 'verdicts.csv');
  writeFileSync(path, 'old');
  chmodSync(path, 0o640);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(path, 65_534, 65_534);
  const output = await openOutput(path, 0o600);
  await output.write(NEW);
  assert.equal(readFileSync(path, 'utf8'), 'old');
  await output.finish();
  assert.equal(readFileSync(path, 'utf8'), 'new');
  const { mode, uid, gid } = statSync(path);
  assert.equal(mode & 0o777, 0o640);
  if (isRoot) assert.deepEqual([uid, gid], [65_534, 65_534]);
  const given = await openOutput(path);
  await given.write(Buffer.from('given up'));
  await given.abandon();
  assert.equal(readFileSync(path, 'utf8'), 'new');
  assert.deepEqual(readdirSync(folder), ['verdicts.csv']);
});

test('a new file has the mode it is given, in a folder that is made', async () => {
  const path = join(testFolder('output'), 'a', 'verdicts.csv');
  const output = await openOutput(path, 0o644);
  await output.finish();
  assert.equal(statSync(path).mode & 0o777, 0o644);
});

test('symbolic links stay, and the file that they name is the one that is written, also where there is none yet', async () => {
  const folder = testFolder('output');
  mkdirSync(join(folder, 'other'));
  writeFileSync(join(folder, 'other', 'target'), 'old');
  symlinkSync('other/target', join(folder, 'link'));
  symlinkSync('other/none', join(folder, 'dangling'));
  symlinkSync('dangling', join(folder, 'chain'));
  await writeOutput(join(folder, 'link'), NEW);
  await writeOutput(join(folder, 'chain'), NEW);
  for (const name of ['link', 'dangling', 'chain']) assert.ok(lstatSync(join(folder, name)).isSymbolicLink(), name);
  for (const name of ['target', 'none']) assert.equal(readFileSync(join(folder, 'other', name), 'utf8'), 'new');
  assert.deepEqual(readdirSync(join(folder, 'other')).sort(), ['none', 'target']);
});

test('a device and a pipe are written as they are and keep their names', async (t) => {
  const folder = testFolder('output');
  const device = join(folder, 'null');
  try {
    execFileSync('mknod', [device, 'c', '1', '3'], { stdio: 'ignore' });
    await writeOutput(device, NEW);
    assert.ok(statSync(device).isCharacterDevice());
  } catch (error) {
    if (!/mknod/.test(String(error))) throw error;
    t.diagnostic('devices cannot be made here');
  }
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const [read] = await Promise.all([
    import('node:fs/promises').then(({ readFile }) => readFile(pipe, 'utf8')),
    writeOutput(pipe, NEW),
  ]);
  assert.equal(read, 'new');
  assert.ok(statSync(pipe).isFIFO());
});

test('a folder is refused with a sentence', async () => {
  const folder = testFolder('output');
  await assert.rejects(openOutput(folder), /is a folder$/);
  assert.deepEqual(readdirSync(folder), []);
});

test('a terminal shows what a stranger wrote and does not obey it; a pipe gets the very bytes', async (t) => {
  const hostile = '1.2.3.4 \u001b[2J\u001b]0;pwn\u0007\u009b31m\u202eé\t\r\n';
  const escaped = '1.2.3.4 \\u001b[2J\\u001b]0;pwn\\u0007\\u009b31m\\u202eé\t\r\n';
  t.after(() => Reflect.deleteProperty(process.stdout, 'isTTY'));
  for (const value of [false, true]) {
    Object.defineProperty(process.stdout, 'isTTY', { value, configurable: true });
    const { mock } = t.mock.method(process.stdout, 'write', (_: Buffer, done?: () => void) => done?.());
    await (await openOutput('-')).write(Buffer.from(hostile));
    mock.restore();
    assert.equal(String(mock.calls[0]!.arguments[0]), value ? escaped : hostile);
  }
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-folder.ts';
import { openPipeFolder } from './pipe-folder.ts';

const skip = process.platform === 'win32' && 'a named pipe has no file';

async function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).listen(path);
  await once(server, 'listening');
  return server;
}

test('sockets lie in a folder of the data folder that its owner alone may enter, each under a name of its own', {
  skip,
}, async () => {
  const dataDir = testFolder('pipe-folder');
  mkdirSync(join(dataDir, 'pipe'), { mode: 0o777 });
  const folder = await openPipeFolder(dataDir);
  const paths = [folder.newPath(), folder.newPath()];
  assert.deepEqual(paths.map(dirname), [join(dataDir, 'pipe'), join(dataDir, 'pipe')]);
  assert.notEqual(paths[0], paths[1]);
  assert.equal(statSync(join(dataDir, 'pipe')).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(join(dataDir, 'pipe')), [], 'the trial left nothing');
});

test('a socket without a listener is removed, one of a living process stays', { skip }, async () => {
  const dataDir = testFolder('pipe-folder');
  const folder = await openPipeFolder(dataDir);
  const [dead, living] = [folder.newPath(), folder.newPath()];
  const killed = spawnSync(process.execPath, [
    '-e',
    `require('net').createServer().listen(${JSON.stringify(dead)}, () => process.kill(process.pid, 'SIGKILL'))`,
  ]);
  assert.equal(killed.signal, 'SIGKILL');
  assert.ok(existsSync(dead));
  const server = await listen(living);
  await openPipeFolder(dataDir);
  assert.deepEqual([existsSync(dead), existsSync(living)], [false, true]);
  server.close();
});

test('where the path is too long for a socket, a private temporary folder takes its place until it is closed', {
  skip,
}, async () => {
  const dataDir = join(testFolder('pipe-folder'), 'x'.repeat(100));
  const folder = await openPipeFolder(dataDir);
  const path = folder.newPath();
  assert.equal(dirname(dirname(path)), tmpdir());
  assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
  const server = await listen(path);
  server.close();
  await once(server, 'close');
  folder.close();
  assert.equal(existsSync(dirname(path)), false);
});

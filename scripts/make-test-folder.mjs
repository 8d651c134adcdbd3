// The folder in which one `npm test` keeps everything that it and its tests write.
import * as fs from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** Space to be free before the folder is made in memory, bytes: several times the most that a whole run was seen to hold at once. */
const ROOM = 6 * 1024 ** 3;
const PREFIX = 'pulse-test-of-';

/** Makes the folder, in memory where there is room; it goes when this process ends. Folders of runs that were killed go first. */
export function makeTestFolder() {
  const parent = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();
  removeAbandoned(parent);
  const folder = join(parent, `${PREFIX}${process.pid}`);
  fs.mkdirSync(folder);
  // PostgreSQL runs as a user of its own and needs its folder in here.
  fs.chmodSync(folder, 0o1777);
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

function hasRoom(folder) {
  if (!fs.existsSync(folder)) return false;
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize >= ROOM && (process.availableMemory?.() ?? freemem()) >= ROOM;
}

function removeAbandoned(parent) {
  for (const name of fs.readdirSync(parent)) {
    if (name.startsWith(PREFIX) && !isRunning(Number(name.slice(PREFIX.length))))
      fs.rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

// One installation at a time in one checkout. Runs on Node 20.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { say } from './say.mjs';

const ASK_AGAIN_MS = 200;

/**
 * Two commands started at once on a fresh clone must not both lay node_modules. Waits for the other one; a lock whose owner has ended is taken over. The lock is in
 * the checkout, which only those may write to who may install there. @returns function that releases the lock
 */
export function lockInstall(root) {
  const lock = join(root, '.pulse-installing');
  const own = `${lock}-${process.pid}`;
  // Linked under its name when its content is complete: a reader never sees a lock without an owner.
  writeFileSync(own, String(process.pid));
  try {
    let waitedFor;
    while (!take(own, lock)) {
      const owner = ownerOf(lock);
      if (owner === undefined) continue;
      if (!isAlive(owner)) release(lock, owner, own);
      else {
        if (waitedFor !== owner)
          process.stderr.write(
            `pulse: ${say('waiting for process {owner}, which installs dependencies ({lock})', { owner, lock })}\n`,
          );
        waitedFor = owner;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ASK_AGAIN_MS);
      }
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(lock, { force: true });
}

function take(own, lock) {
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/** Process id in the lock, or undefined when the lock was released meanwhile. */
function ownerOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** A process that may not be signalled (EPERM) is another user's, and alive. */
function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** Removes the lock of an owner that has ended. When another command was faster and holds the lock now, its lock is put back. */
function release(lock, owner, own) {
  const taken = `${own}-taken`;
  try {
    renameSync(lock, taken);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return;
  }
  if (ownerOf(taken) !== owner) take(taken, lock);
  rmSync(taken, { force: true });
}

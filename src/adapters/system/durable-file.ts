import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Written in pieces, so that other work of the thread gets its turn. */
const CHUNK_BYTES = 32 * 1024 * 1024;
const PART = '.part';
/** No file takes this long to write: a part that old was left by a process that ended in the midst of it. Processes on other machines may share the folder. */
const LEFT_AFTER_MS = 3_600_000;

/**
 * Writes a whole file so that there is the old one or the new one at every moment, for readers and after a crash: beside the target, synced, renamed over it,
 * and the folder synced. When it fails the old file is as it was and nothing is left beside it; parts that a crash left are removed by a later write into
 * the same folder. Several writers of one file do not mix: the last to finish stays.
 * @param path its folder is made when it is not there
 */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  await removeLeftParts(folder);
  const beside = join(folder, `.${basename(path)}.${randomUUID()}${PART}`);
  try {
    await writeSynced(beside, bytes);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, at, Math.min(CHUNK_BYTES, bytes.length - at), at);
      at += bytesWritten;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder for syncing; there the rename is durable by itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeLeftParts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('.') || !name.endsWith(PART)) continue;
    const path = join(folder, name);
    const changedAt = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      // Gone since: its writer has finished.
      () => Number.POSITIVE_INFINITY,
    );
    // One that cannot be removed harms nothing but the disk's room; the file that is to be written does not wait for it.
    if (Date.now() - changedAt > LEFT_AFTER_MS) await rm(path, { force: true }).catch(() => undefined);
  }
}

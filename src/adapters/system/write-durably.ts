/**
 * The only way to create or replace a file of the data folder: it is written next to its target, synced,
 * renamed or linked into place, and the folder is synced. Readers, and a process that starts after a crash or
 * a power failure, therefore find the old file or the new one and never a partial one.
 *
 * The synchronous forms (`…Sync`) are for callers whose next step must wait until the file is safe, and for
 * synchronous ports.
 */

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export const PART = '.part';

const begun = new Set<string>();

/**
 * Returns an unused name in the target's folder, for a file that is renamed to the target when complete. Every
 * call needs an `endPart`.
 */
export function beginPart(path: string): string {
  const part = join(dirname(path), `.${basename(path)}.${randomUUID()}${PART}`);
  begun.add(part);
  return part;
}

export async function endPart(part: string): Promise<void> {
  await rm(part, { force: true });
  begun.delete(part);
}

function endPartSync(part: string): void {
  rmSync(part, { force: true });
  begun.delete(part);
}

/** Removes the parts that this thread has begun; call it before the process ends. */
export function removeParts(): void {
  for (const part of begun) rmSync(part, { force: true });
}

const CHUNK_BYTES = 32 * 1024 * 1024;
/**
 * No file takes this long to write, so an older part was left by a process that died. Processes on other
 * machines may share the folder.
 */
const LEFT_AFTER_MS = 3_600_000;
const ANY_MODE = 0o666;

/** Concurrent writers do not mix: the last to finish wins. */
export async function writeDurably(path: string, content: Uint8Array | readonly Uint8Array[]): Promise<void> {
  const pieces = content instanceof Uint8Array ? [content] : content;
  await mkdir(dirname(path), { recursive: true });
  removeLeftParts(dirname(path));
  await place(path, pieces).catch((error: unknown) => {
    if (!isGone(error)) throw error;
    return place(path, pieces);
  });
  await syncFolder(dirname(path));
}

export function writeDurablySync(path: string, content: Uint8Array | string, mode = ANY_MODE): void {
  placeSync(path, content, mode, (part) => renameSync(part, path));
}

/** Creates a file; one of several concurrent processes succeeds. @returns false if it existed, unchanged */
export function createDurablySync(path: string, content: Uint8Array | string, mode = ANY_MODE): boolean {
  return placeSync(path, content, mode, (part) => {
    try {
      linkSync(part, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    }
  });
}

function syncFolderSync(folder: string): void {
  // Windows cannot open a folder for syncing; there the rename is durable by itself.
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function placeSync<T>(path: string, content: Uint8Array | string, mode: number, place: (part: string) => T): T {
  mkdirSync(dirname(path), { recursive: true });
  removeLeftParts(dirname(path));
  const write = (): T => {
    const part = beginPart(path);
    try {
      writeSyncedSync(part, typeof content === 'string' ? Buffer.from(content) : content, mode);
      return place(part);
    } finally {
      // A partial file would occupy the space that a full disk lacks.
      endPartSync(part);
    }
  };
  let placed: T;
  try {
    placed = write();
  } catch (error) {
    if (!isGone(error)) throw error;
    placed = write();
  }
  syncFolderSync(dirname(path));
  return placed;
}

async function place(path: string, pieces: readonly Uint8Array[]): Promise<void> {
  const part = beginPart(path);
  try {
    await writeSynced(part, pieces);
    await rename(part, path);
  } finally {
    await endPart(part);
  }
}

/**
 * After a clock step, another process may have removed the part as a leftover. It is then written once more.
 */
const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

async function writeSynced(path: string, pieces: readonly Uint8Array[]): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    for (const bytes of pieces)
      for (let at = 0; at < bytes.length; )
        at += (await handle.write(bytes, at, Math.min(CHUNK_BYTES, bytes.length - at))).bytesWritten;
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function writeSyncedSync(path: string, bytes: Uint8Array, mode: number): void {
  const fd = openSync(path, 'wx', mode);
  try {
    writeWhole(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const isPart = (name: string): boolean => name.startsWith('.') && name.endsWith(PART);
const isLeft = ({ mtimeMs }: Stats): boolean => Date.now() - mtimeMs > LEFT_AFTER_MS;

function removeLeftParts(folder: string): void {
  for (const name of readdirSync(folder).filter(isPart)) {
    const path = join(folder, name);
    try {
      if (isLeft(statSync(path))) rmSync(path, { force: true });
    } catch {
      // Its writer may have finished meanwhile.
    }
  }
}

function writeWhole(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

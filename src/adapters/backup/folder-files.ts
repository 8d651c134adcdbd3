import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { BackupFile } from '../../core/backup/backup-manifest.ts';
import { RESTORING } from '../data-folder/restore-marker.ts';
import { PART } from '../system/write-durably.ts';
import { LAST_BACKUP } from './last-backup.ts';

/** These files are made again from the rest, or concern other machines or one process. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'cache',
  'databases',
  'demo',
  'followed',
  LAST_BACKUP,
  'lost',
  'lost+found',
  'pipe',
  'snapshots',
  RESTORING,
]);

export interface FolderFile {
  readonly path: string;
  readonly bytes: number;
}

export function folderFiles(folder: string, inside = ''): readonly FolderFile[] {
  return readdirSync(join(folder, inside))
    .filter((name) => name !== 'lock' && !name.endsWith(PART) && (inside !== '' || !isLeftOut(name)))
    .sort()
    .flatMap((name) => {
      const path = inside === '' ? name : `${inside}/${name}`;
      const stats = statSync(join(folder, path), { throwIfNoEntry: false });
      if (stats?.isDirectory()) return folderFiles(folder, path);
      return stats?.isFile() ? [{ path, bytes: stats.size }] : [];
    });
}

const isLeftOut = (name: string): boolean => LEFT_OUT.has(name) || /\.db(-(wal|shm|journal))?$/.test(name);

const OWNER_ONLY = 0o600;
const CHUNK_BYTES = 1024 * 1024;

export type Digest = Pick<BackupFile, 'bytes' | 'sha256'>;

export async function writeFrom(source: Readable | Uint8Array, to: string): Promise<Digest> {
  const hash = createHash('sha256');
  let bytes = 0;
  const handle = await open(to, 'wx', OWNER_ONLY);
  try {
    for await (const chunk of source instanceof Uint8Array ? [source] : (source as AsyncIterable<Uint8Array>)) {
      hash.update(chunk);
      for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
      bytes += chunk.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

export const copyFile = (from: string, to: string): Promise<Digest> => writeFrom(readable(from), to);

export async function digestOf(path: string, onBytes: (count: number) => void = () => {}): Promise<Digest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of readable(path) as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    bytes += chunk.length;
    onBytes(chunk.length);
  }
  return { bytes, sha256: hash.digest('hex') };
}

const readable = (path: string): Readable => createReadStream(path, { highWaterMark: CHUNK_BYTES });

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type FileHandle, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fault } from '../../core/texts/said.ts';
import { writeDurably } from './write-durably.ts';

export function readOptionalFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** @throws Fault for a folder, whose read error would not name it; Error if nothing is there */
export function requireFile(path: string): void {
  if (statSync(path).isDirectory()) throw fault('{path} is a folder', { path });
}

/** Files are read in pieces, so that other work of the thread, such as checksums, can run in between. */
const PIECE_BYTES = 4 * 1024 * 1024;

export async function fillFromFile(
  file: FileHandle,
  into: Uint8Array,
  position: number,
  each: (piece: Uint8Array) => void = () => {},
): Promise<number> {
  for (let at = 0; at < into.length; ) {
    const { bytesRead } = await file.read(into, at, Math.min(PIECE_BYTES, into.length - at), position + at);
    if (bytesRead === 0) return at;
    each(into.subarray(at, at + bytesRead));
    at += bytesRead;
  }
  return into.length;
}

/**
 * Holds files by name in a folder or bucket. Every function throws the error of the file system or the
 * network.
 * - `write`: readers find the old content or the new one, never a part.
 * - `remove`: a file that cannot be removed now stays: on some systems another process may have it open.
 */
export interface FilePlace {
  text(name: string): Promise<string | undefined>;
  write(name: string, bytes: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
  names?(): Promise<readonly string[]>;
}

export class FileFolder implements FilePlace {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  async text(name: string): Promise<string | undefined> {
    try {
      return await readFile(this.file(name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  write(name: string, bytes: Uint8Array): Promise<void> {
    return writeDurably(this.file(name), bytes);
  }

  async remove(name: string): Promise<void> {
    await rm(this.file(name), { recursive: true, force: true }).catch(() => undefined);
  }

  names(): Promise<readonly string[]> {
    return readdir(this.path);
  }
}

interface FolderStamp {
  readonly text: string;
  readonly fault: Error | undefined;
}

/**
 * The stamp changes with the names, sizes and times of all files in some folders, without subfolders. A
 * missing folder counts as empty.
 */
export function folderStamp(folders: readonly string[]): FolderStamp {
  let fault: Error | undefined;
  const lines = folders.flatMap((folder) => {
    try {
      return readdirSync(folder).flatMap((name) => {
        const stat = statSync(join(folder, name), { throwIfNoEntry: false });
        return stat === undefined ? [] : [`${basename(folder)}/${name} ${stat.size} ${stat.mtimeMs}`];
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      fault ??= error as Error;
      return [`${basename(folder)} ${(error as NodeJS.ErrnoException).code}`];
    }
  });
  return { text: lines.join('\n'), fault };
}

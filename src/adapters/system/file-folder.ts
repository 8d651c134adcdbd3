import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from './write-durably.ts';

/** A folder or bucket of files by name. Every function throws the error of the file system or the network. */
export interface FilePlace {
  /** Returns the text of a file; undefined if it does not exist. */
  text(name: string): Promise<string | undefined>;
  /** Writes a complete file; readers find the old one or the new one. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Leaves a file that cannot be removed now. */
  remove(name: string): Promise<void>;
  /** Lists all files; absent where listing is not possible. */
  names?(): Promise<readonly string[]>;
}

/** Files in one folder of the file system, which is created with its first file. */
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

  /** On some systems a file that another process has open cannot be removed; a later call removes it. */
  async remove(name: string): Promise<void> {
    await rm(this.file(name), { recursive: true, force: true }).catch(() => undefined);
  }

  names(): Promise<readonly string[]> {
    return readdir(this.path);
  }
}

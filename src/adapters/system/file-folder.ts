import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from './write-durably.ts';

/**
 * Holds files by name in a folder or bucket. Every function throws the error of the file system or the
 * network.
 */
export interface FilePlace {
  text(name: string): Promise<string | undefined>;
  /** Readers find the old content or the new one, never a part. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** A file that cannot be removed now stays: on some systems another process may have it open. */
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

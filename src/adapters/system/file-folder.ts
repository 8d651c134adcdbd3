import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from './write-durably.ts';

/** Where files lie by name: a folder, or a bucket. Every function throws the error of the file system or the network. */
export interface FilePlace {
  /** The text of a file; undefined when there is none of that name. */
  text(name: string): Promise<string | undefined>;
  /** Writes a whole file; readers find the old one or the new one. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** A file that cannot be removed now stays. */
  remove(name: string): Promise<void>;
  /** Names of all files; left out where listing them is not to be had. */
  names?(): Promise<readonly string[]>;
}

/** Files in one folder of the file system, which is made with its first file. */
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

  /** A file that another process still has open cannot be removed everywhere; it goes next time. */
  async remove(name: string): Promise<void> {
    await rm(this.file(name), { recursive: true, force: true }).catch(() => undefined);
  }

  names(): Promise<readonly string[]> {
    return readdir(this.path);
  }
}

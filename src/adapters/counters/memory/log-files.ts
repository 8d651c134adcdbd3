import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';

/**
 * File system calls of a charge log. Every function but `syncLater` throws the error of the file system;
 * tests insert a disk that fills up.
 */
export interface LogFiles {
  open(path: string): number;
  write(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number;
  truncate(fd: number, length: number): void;
  sync(fd: number): void;
  syncLater(fd: number, done: (error: NodeJS.ErrnoException | null) => void): void;
  close(fd: number): void;
  remove(path: string): void;
  free(dir: string): number;
}

export const diskFiles: LogFiles = {
  open: (path) => openSync(path, 'w', 0o600),
  write: writeSync,
  truncate: ftruncateSync,
  sync: fdatasyncSync,
  syncLater: fdatasync,
  close: closeSync,
  remove: (path) => rmSync(path, { force: true }),
  free(dir) {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize;
  },
};

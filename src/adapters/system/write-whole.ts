import { writeSync } from 'node:fs';

/** Writes all bytes at the file's position; one system call may write fewer. */
export function writeWhole(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

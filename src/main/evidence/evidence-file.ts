import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Keeps an image for the next start: beside the old file, then in its place, so that a crash leaves a whole one. */
export function keepImage(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.new`;
  writeFileSync(beside, bytes, { flush: true });
  renameSync(beside, path);
}

/** A copy that all threads can read. */
export function shareImage(bytes: Uint8Array): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(shared).set(bytes);
  return shared;
}

import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { UnixMs } from '../../core/units.ts';

export interface DatabaseFile {
  readonly edition: string;
  /** Updaters compare this digest of the file before it is packed. */
  readonly md5: string;
  readonly bytes: number;
  readonly packedBytes: number;
  readonly builtAt: UnixMs;
  open(): Readable;
}

/**
 * Finds the current file of an edition, and makes a missing or old one. `in_making` means that this takes
 * longer than a request may wait; `withheld` means that others may not have it.
 * @param isOperator whether sources and names count that stay with the operator
 */
export type FindDatabase = (edition: string, isOperator: boolean) => Promise<DatabaseFile | 'in_making' | 'withheld'>;

const BLOCK = 512;

/**
 * Packs one file as tar.gz. Its parts are consecutive gzip members (RFC 1952, 2.2), so that the file itself
 * is sent as it lies on the disk.
 */
export function packTar(
  { bytes, packedBytes, builtAt, open }: Pick<DatabaseFile, 'bytes' | 'packedBytes' | 'builtAt' | 'open'>,
  name: string,
): { readonly stream: Readable; readonly bytes: number } {
  const head = gzipSync(tarHeader(name, bytes, Math.floor(builtAt / 1000)));
  const tail = gzipSync(new Uint8Array(((BLOCK - (bytes % BLOCK)) % BLOCK) + 2 * BLOCK));
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield head;
    for await (const piece of open()) yield piece;
    yield tail;
  }
  return { stream: Readable.from(parts(), { objectMode: false }), bytes: head.length + packedBytes + tail.length };
}

/** Header of a regular file (POSIX.1-2017, "ustar Interchange Format"). */
function tarHeader(name: string, bytes: number, modifiedSec: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number): void => {
    header.write(value.toString(8).padStart(length - 1, '0'), at);
  };
  header.write(name, 0, 100);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(modifiedSec, 136, 12);
  header.fill(' ', 148, 156);
  header.write('0', 156);
  header.write('ustar\0' + '00', 257, 'latin1');
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
}

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';

/** Bytes read at a time. */
const CHUNK_BYTES = 1024 * 1024;

export interface LogBytes {
  /** Content without compression. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Bytes of the file; undefined for standard input. */
  readonly size: number | undefined;
  /** Bytes of the file that were read so far. */
  readonly read: () => number;
}

/** Opens a log, or standard input for `-`. One that begins like gzip or zstd is decompressed on the way, whatever it is called. */
export async function openLogBytes(path: string): Promise<LogBytes> {
  const file = path === '-' ? undefined : await stat(path);
  if (file?.isDirectory() === true) throw new Error(`${path} is a folder`);
  const raw: Readable = file === undefined ? process.stdin : createReadStream(path, { highWaterMark: CHUNK_BYTES });
  let read = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of raw as AsyncIterable<Buffer>) {
      read += chunk.length;
      yield chunk;
    }
  };
  return { chunks: decompressed(counted()), size: file?.isFile() === true ? file.size : undefined, read: () => read };
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const startsWith = (bytes: Buffer, magic: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic);

async function* decompressed(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const held: Buffer[] = [];
  let head = Buffer.alloc(0);
  while (head.length < ZSTD.length) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    held.push(value);
    head = Buffer.concat(held);
  }
  const all = async function* (): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    yield* chunks;
  };
  const decoder: Transform | undefined = startsWith(head, GZIP) ? createGunzip() : startsWith(head, ZSTD) ? createZstdDecompress() : undefined;
  if (decoder === undefined) yield* all();
  else {
    // A fault of either end comes out of the decoder, which is read to its end below.
    pipeline(Readable.from(all()), decoder, () => {});
    yield* decoder as AsyncIterable<Buffer>;
  }
}

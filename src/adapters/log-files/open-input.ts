import { open as openDescriptor } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { binaryFault, binaryKind, MAGIC_BYTES } from '../../core/logs/plain-text.ts';
import { TextChunks } from '../../core/logs/text-chunks.ts';
import { fault, type Said, said } from '../../core/texts/said.ts';
import { PACKED_BYTES, packedKind, unpackWith } from '../system/read-body.ts';

/**
 * - `chunks`: the unpacked content. A chunk is valid until the next one is requested, and a reader that stops early
 *   closes the file through `return`.
 * - `size`: counts the bytes on the disk, before unpacking; undefined where that is unknown, as for standard input.
 */
export interface Input {
  readonly chunks: AsyncGenerator<Uint8Array>;
  readonly size: number | undefined;
  readonly position: () => number;
}

const CHUNK_BYTES = 1024 * 1024;
const STANDARD = '-';

/**
 * Opens a file of lines, or standard input for `-`. Content packed with gzip or zstd is recognised by its
 * first bytes and unpacked; UTF-16 becomes UTF-8, and a CR that ends all lines becomes LF.
 * @param signal ends the reading of standard input or a pipe; its reason is thrown
 * @throws Error of the file system; Fault for a folder. Reading throws a Fault for a file without lines of
 * text, and the unpacker's for a damaged or truncated file
 */
export async function openInput(path: string, signal: AbortSignal): Promise<Input> {
  let read = 0;
  const count = (bytes: number): void => {
    read += bytes;
  };
  const streaming = (stream: Readable): Input => {
    // A pipe that stays silent would otherwise never end.
    const giveUp = (): unknown => stream.destroy(signal.reason);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp);
    return { chunks: textOf(path, streamed(stream, count)), size: undefined, position: () => read };
  };
  if (path === STANDARD) return streaming(process.stdin);
  const found = await stat(path);
  if (found.isDirectory()) throw fault('{path} is a folder', { path });
  // A thread that waits for a pipe cannot be stopped; a socket can.
  if (found.isFIFO()) return streaming(new Socket({ fd: await promisify(openDescriptor)(path, 'r'), writable: false }));
  return {
    chunks: textOf(path, chunksOf(await open(path, 'r'), count)),
    size: found.isFile() ? found.size : undefined,
    position: () => read,
  };
}

const textOf = (path: string, chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> =>
  inLines(refuseBinary(path === STANDARD ? said('standard input') : path, unpacked(chunks)));

export function shareRead({ size, position }: Input): number | undefined {
  return size === undefined ? undefined : Math.min(1, position() / Math.max(1, size));
}

async function* streamed(stream: Readable, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    count(chunk.length);
    yield chunk;
  }
}

async function* chunksOf(file: FileHandle, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const memories = [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)] as const;
  const fillFromFile = async (memory: Buffer): Promise<Uint8Array> =>
    memory.subarray(0, (await file.read(memory, 0, CHUNK_BYTES)).bytesRead);
  let next = fillFromFile(memories[0]);
  try {
    for (let turn = 1; ; turn ^= 1) {
      const chunk = await next;
      if (chunk.length === 0) return;
      count(chunk.length);
      next = fillFromFile(memories[turn === 1 ? 1 : 0]);
      // The rejection is handled when its chunk is awaited.
      next.catch(() => undefined);
      yield chunk;
    }
  } finally {
    await next.catch(() => undefined);
    await file.close();
  }
}

async function* unpacked(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const head = await headOf(chunks, PACKED_BYTES);
  const packing = packedKind(head);
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    yield head;
    // The unpacker takes chunks ahead of its work, so each needs memory of its own.
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
      yield packing !== undefined ? Buffer.from(next.value) : next.value;
  };
  try {
    yield* packing === undefined ? whole() : unpack(whole(), unpackWith(packing, { chunkSize: CHUNK_BYTES }));
  } finally {
    await chunks.return(undefined);
  }
}

async function* inLines(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const text = new TextChunks();
  try {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield text.push(next.value);
    yield* text.end();
  } finally {
    await chunks.return(undefined);
  }
}

/** A fault of either side ends the other, and so the reading. */
const unpack = (packed: AsyncIterable<Uint8Array>, unpacker: Transform): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(packed), unpacker, () => undefined);

async function headOf(chunks: AsyncIterator<Uint8Array>, bytes: number): Promise<Uint8Array> {
  let head = Buffer.alloc(0);
  while (head.length < bytes) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

/** Passes the content of a file on. @throws Fault that names the kind of a file without lines of text */
export async function* refuseBinary(
  file: string | Said,
  content: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    const head = await headOf(content, MAGIC_BYTES);
    const kind = binaryKind(head);
    if (kind !== undefined) throw binaryFault(kind, file);
    yield head;
    yield* content;
  } finally {
    await content.return(undefined);
  }
}

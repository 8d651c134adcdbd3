import { binaryKind, MAGIC_BYTES } from '../../../src/core/logs/plain-text.ts';
import { TextChunks } from '../../../src/core/logs/text-chunks.ts';

/** A ZIP archive, a Parquet file or another one without lines of text. */
export class PackedFile extends Error {}

/**
 * Returns the content of a file in chunks: gzip is unpacked, UTF-16 becomes UTF-8, and a CR that ends all lines becomes LF.
 * @throws PackedFile; Error for a file that is damaged
 */
export async function* openBlob(source: Blob): AsyncGenerator<Uint8Array> {
  const head = new Uint8Array(await source.slice(0, MAGIC_BYTES).arrayBuffer());
  const kind = binaryKind(head);
  if (kind !== undefined) throw new PackedFile(kind);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const text = new TextChunks();
  const stream = source.stream();
  for await (const chunk of chunksOf(isGzip ? stream.pipeThrough(new DecompressionStream('gzip')) : stream))
    yield text.push(chunk);
  yield* text.end();
}

/** Not every browser lets a stream be iterated. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

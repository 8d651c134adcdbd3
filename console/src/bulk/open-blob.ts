import { Utf8Chunks } from '../../../src/core/logs/utf8-chunks.ts';

/** An archive without a file in it, or with several. */
export class NotOneFile extends Error {}

/**
 * Content of a file in chunks: gzip is unpacked, and so is the one file of a ZIP archive; UTF-16 becomes UTF-8.
 * @throws NotOneFile; Error for a file that is damaged, encrypted or longer than 4 GiB inside an archive
 */
export async function* openBlob(source: Blob): AsyncGenerator<Uint8Array> {
  const text = new Utf8Chunks();
  for await (const chunk of chunksOf(await unpacked(source))) yield text.push(chunk);
  yield text.end();
}

async function unpacked(source: Blob): Promise<ReadableStream<Uint8Array>> {
  const head = await viewOf(source, 0, 4);
  if (head.byteLength === 4 && head.getUint32(0) === ZIP) return await archivedFile(source);
  const stream = source.stream();
  return head.byteLength > 1 && head.getUint16(0) === GZIP
    ? stream.pipeThrough(new DecompressionStream('gzip'))
    : stream;
}

/** The one file of a ZIP archive: its table of contents stands at the end (APPNOTE 4.3.12, 4.3.16). */
async function archivedFile(source: Blob): Promise<ReadableStream<Uint8Array>> {
  const tail = await viewOf(source, Math.max(0, source.size - END_MAX), source.size);
  let end = tail.byteLength - END_BYTES;
  while (end >= 0 && tail.getUint32(end) !== END) end--;
  if (end < 0) throw new Error('no end of the archive');
  const directoryAt = tail.getUint32(end + 16, true);
  const directory = await viewOf(source, directoryAt, directoryAt + tail.getUint32(end + 12, true));
  const files: { readonly method: number; readonly size: number; readonly at: number }[] = [];
  for (let entry = 0; entry < directory.byteLength; ) {
    if (directory.getUint32(entry) !== ENTRY) throw new Error('no entry where one should be');
    const nameEnd = entry + 46 + directory.getUint16(entry + 28, true);
    const isFolder = directory.getUint8(nameEnd - 1) === SLASH;
    if ((directory.getUint16(entry + 8, true) & ENCRYPTED) !== 0) throw new Error('encrypted');
    const method = directory.getUint16(entry + 10, true);
    const [size, at] = [directory.getUint32(entry + 20, true), directory.getUint32(entry + 42, true)];
    if (!isFolder) files.push({ method, size, at });
    entry = nameEnd + directory.getUint16(entry + 30, true) + directory.getUint16(entry + 32, true);
  }
  const [file] = files;
  if (file === undefined || files.length > 1) throw new NotOneFile();
  const header = await viewOf(source, file.at, file.at + 30);
  const begin = file.at + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = source.slice(begin, begin + file.size).stream();
  if (file.method === STORED) return packed;
  if (file.method !== DEFLATED) throw new Error(`method ${file.method}`);
  return packed.pipeThrough(new DecompressionStream('deflate-raw'));
}

const viewOf = async (source: Blob, from: number, to: number): Promise<DataView> =>
  new DataView(await source.slice(from, to).arrayBuffer());

const GZIP = 0x1f8b;
const [ZIP, ENTRY, END] = [0x504b0304, 0x504b0102, 0x504b0506];
const END_BYTES = 22;
/** With the longest comment. */
const END_MAX = END_BYTES + 0xffff;
const SLASH = 0x2f;
const ENCRYPTED = 1;
const [STORED, DEFLATED] = [0, 8];

/** Not every browser lets a stream be iterated. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

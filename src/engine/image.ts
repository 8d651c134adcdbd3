/** All compiled files share this version of the container, which FORMAT.md draws. */
const IMAGE_VERSION = 2;
export const HEADER_BYTES = 64;
const ENTRY_BYTES = 32;
export const ALIGNMENT = 64;
const MAGIC = [0x534c5550, 0x474d4945] as const;

const IMAGE_KINDS = { geo: 1, evidence: 2, assistants: 3 } as const;
export type ImageKind = keyof typeof IMAGE_KINDS;

export class ImageError extends Error {
  constructor(fault: string) {
    super(`not a usable image: ${fault}`);
    this.name = 'ImageError';
  }
}

export interface SectionInput {
  readonly id: string;
  readonly data: Uint8Array | Uint16Array | Uint32Array;
}

interface SectionEntry {
  readonly id: string;
  readonly offset: number;
  readonly length: number;
  readonly low: number;
  readonly high: number;
}

export type ImageBuffer = ArrayBuffer | SharedArrayBuffer;

const align = (size: number): number => Math.ceil(size / ALIGNMENT) * ALIGNMENT;

/**
 * An opened container: the directory, and views of sections. Opening checks magic, version, kind, sizes and
 * the header's checksum, and that the sections lie inside the file without overlap. `verifyChecksums` checks
 * the sections.
 */
export class Image {
  readonly buffer: ImageBuffer;
  readonly kind: ImageKind;
  readonly entries: readonly SectionEntry[];
  readonly #byId: ReadonlyMap<string, SectionEntry>;

  constructor(buffer: ImageBuffer, kind: ImageKind) {
    this.buffer = buffer;
    this.kind = kind;
    this.entries = readDirectory(buffer, kind);
    this.#byId = new Map(this.entries.map((entry) => [entry.id, entry]));
    if (this.#byId.size !== this.entries.length) throw new ImageError('a section is listed twice');
  }

  bytes(id: string): Uint8Array {
    const { offset, length } = this.#section(id, 1);
    return new Uint8Array(this.buffer, offset, length);
  }

  words32(id: string): Uint32Array {
    const { offset, length } = this.#section(id, 4);
    return new Uint32Array(this.buffer, offset, length / 4);
  }

  /** Reads a JSON section. Its checksum is verified here, because a damaged table of names must not be used. */
  json(id: string): unknown {
    const entry = this.#section(id, 1);
    const bytes = this.bytes(id);
    if (!sumMatches(entry, bytes)) throw new ImageError(`section ${id} is damaged`);
    try {
      // TextDecoder refuses shared memory; the copy is small.
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.slice()));
    } catch {
      throw new ImageError(`section ${id} does not hold JSON`);
    }
  }

  #section(id: string, width: number): SectionEntry {
    const entry = this.#byId.get(id);
    if (entry === undefined) throw new ImageError(`section ${id} is missing`);
    if (entry.length % width !== 0)
      throw new ImageError(`section ${id} has a length that is not a multiple of ${width}`);
    return entry;
  }
}

const sumMatches = (entry: SectionEntry, bytes: Uint8Array): boolean => {
  const sum = checksum(bytes);
  return sum.low === entry.low && sum.high === entry.high;
};

function readDirectory(buffer: ImageBuffer, kind: ImageKind): SectionEntry[] {
  const size = buffer.byteLength;
  if (size < HEADER_BYTES) throw new ImageError(`${size} bytes are too few for a header`);
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== MAGIC[0] || view.getUint32(4, true) !== MAGIC[1])
    throw new ImageError('the magic number is missing');
  const version = view.getUint32(8, true);
  if (version !== IMAGE_VERSION) throw new ImageError(`format version ${version}, this program reads ${IMAGE_VERSION}`);
  const count = view.getUint32(16, true);
  const headerBytes = HEADER_BYTES + count * ENTRY_BYTES;
  if (count > 1024 || headerBytes > size) throw new ImageError(`a directory of ${count} sections does not fit`);
  const stated = view.getFloat64(32, true);
  if (stated !== size) throw new ImageError(`${size} bytes where the header says ${stated}`);
  const sum = headerSum(buffer, headerBytes);
  if (view.getUint32(24, true) !== sum.low || view.getUint32(28, true) !== sum.high)
    throw new ImageError('the header is damaged');
  if (view.getUint32(12, true) !== IMAGE_KINDS[kind]) throw new ImageError(`it does not hold ${kind} data`);

  const entries: SectionEntry[] = [];
  let free = headerBytes;
  for (let i = 0; i < count; i++) {
    const at = HEADER_BYTES + i * ENTRY_BYTES;
    const id = String.fromCharCode(
      view.getUint8(at),
      view.getUint8(at + 1),
      view.getUint8(at + 2),
      view.getUint8(at + 3),
    );
    const offset = view.getFloat64(at + 8, true);
    const length = view.getFloat64(at + 16, true);
    const inside =
      offset >= free && offset % ALIGNMENT === 0 && length >= 0 && Number.isInteger(length) && offset + length <= size;
    if (!inside) throw new ImageError(`section ${id} lies outside the file or over another one`);
    free = offset + length;
    entries.push({ id, offset, length, low: view.getUint32(at + 24, true), high: view.getUint32(at + 28, true) });
  }
  if (align(free) !== size) throw new ImageError('there are bytes past the last section');
  return entries;
}

function headerSum(buffer: ImageBuffer, headerBytes: number): { low: number; high: number } {
  const copy = new Uint8Array(headerBytes);
  copy.set(new Uint8Array(buffer, 0, headerBytes));
  copy.fill(0, 24, 32);
  return checksum(copy);
}

/** Returns the header with the directory, then the sections aligned to cache lines, without copying them. */
export function imageParts(kind: ImageKind, sections: readonly SectionInput[]): readonly Uint8Array[] {
  const headerBytes = HEADER_BYTES + sections.length * ENTRY_BYTES;
  const header = new Uint8Array(align(headerBytes));
  const view = new DataView(header.buffer);
  const parts: Uint8Array[] = [header];
  let offset = header.length;
  sections.forEach(({ id, data }, i) => {
    const at = HEADER_BYTES + i * ENTRY_BYTES;
    const given = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
    const sum = checksum(bytes);
    for (let c = 0; c < 4; c++) header[at + c] = id.charCodeAt(c);
    view.setFloat64(at + 8, offset, true);
    view.setFloat64(at + 16, bytes.length, true);
    view.setUint32(at + 24, sum.low, true);
    view.setUint32(at + 28, sum.high, true);
    parts.push(bytes, new Uint8Array(align(bytes.length) - bytes.length));
    offset += align(bytes.length);
  });
  view.setUint32(0, MAGIC[0], true);
  view.setUint32(4, MAGIC[1], true);
  view.setUint32(8, IMAGE_VERSION, true);
  view.setUint32(12, IMAGE_KINDS[kind], true);
  view.setUint32(16, sections.length, true);
  view.setUint32(20, headerBytes, true);
  view.setFloat64(32, offset, true);
  const sum = headerSum(header.buffer, headerBytes);
  view.setUint32(24, sum.low, true);
  view.setUint32(28, sum.high, true);
  return parts;
}

export function buildImage(kind: ImageKind, sections: readonly SectionInput[]): Uint8Array<ArrayBuffer> {
  const parts = imageParts(kind, sections);
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function verifyChecksums(image: Image): readonly string[] {
  return image.entries
    .filter((entry) => !sumMatches(entry, image.bytes(entry.id)))
    .map((entry) => `section ${entry.id}: checksum differs`);
}

export function jsonSection(id: string, value: unknown): SectionInput {
  return { id, data: new TextEncoder().encode(JSON.stringify(value)) };
}

/**
 * 64-bit checksum of bytes, read as little-endian 32-bit words (the last one padded with zeros): four lanes
 * in the manner of xxHash32, joined into two different 32-bit sums. Finds damage; it does not defend against
 * an author of false files.
 */
interface Checksum {
  readonly low: number;
  readonly high: number;
}

const P1 = 0x9e3779b1;
const P2 = 0x85ebca77;
const P3 = 0xc2b2ae3d;

const mix = (sum: number): number => {
  let h = sum;
  h = Math.imul(h ^ (h >>> 15), P2);
  h = Math.imul(h ^ (h >>> 13), P3);
  return (h ^ (h >>> 16)) >>> 0;
};

/** @param bytes must start at a multiple of 4 in its buffer */
export function checksum(bytes: Uint8Array): Checksum {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
  const whole = words.length & ~3;
  let a = P1;
  let b = P2;
  let c = P3;
  let d = 0x27d4eb2f;
  for (let i = 0; i < whole; i += 4) {
    a = Math.imul(a + Math.imul(words[i]!, P2), P1);
    a ^= a >>> 17;
    b = Math.imul(b + Math.imul(words[i + 1]!, P2), P1);
    b ^= b >>> 17;
    c = Math.imul(c + Math.imul(words[i + 2]!, P2), P1);
    c ^= c >>> 17;
    d = Math.imul(d + Math.imul(words[i + 3]!, P2), P1);
    d ^= d >>> 17;
  }
  for (let i = whole; i < words.length; i++) a = Math.imul((a ^ words[i]!) + P3, P1);
  let tail = bytes.byteLength & 3;
  for (let i = words.length * 4; i < bytes.byteLength; i++) tail = (tail << 8) | bytes[i]!;
  b = Math.imul((b ^ tail) + P3, P1);
  const length = bytes.byteLength >>> 0;
  const low = mix(a ^ Math.imul(b, P2) ^ Math.imul(c, P3) ^ (d + length));
  const high = mix(Math.imul(a, P3) ^ (b + length) ^ Math.imul(c, P1) ^ Math.imul(d, P2) ^ low);
  return { low, high };
}

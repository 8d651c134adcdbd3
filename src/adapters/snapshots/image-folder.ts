import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HEADER_BYTES, Image, type ImageKind } from '../../engine/image.ts';
import { writeDurably } from '../system/write-durably.ts';
import { checkImage, type ImageDepth } from './check-image.ts';
import { readImageFile } from './read-image-file.ts';

const POINTER = 'current.json';
const SUFFIX = '.img';

/** Where compiled images of one kind are handed from the node that compiles to those that serve. Half a file or a damaged one is never loaded. */
export interface ImageStore {
  /** Name of the file to serve, which identifies its content; undefined while there is none. */
  current(): Promise<string | undefined>;
  /** The current file in shared memory, or where it cannot be used the one before it. @param refused is called for every file that could not be used */
  load(refused: (file: string, error: Error) => void): Promise<LoadedImage | undefined>;
  /** Makes these bytes the current file; its pointer is written last. @returns name of the file */
  publish(bytes: Uint8Array): Promise<string>;
}

export interface LoadedImage {
  readonly file: string;
  readonly buffer: SharedArrayBuffer;
}

/**
 * Compiled files of one kind in a folder. Every file is written durably, and its name follows from its content, so a reader never
 * meets half a file; `current.json` names the one to serve and the one before it, which stays as a way back.
 */
export class ImageFolder implements ImageStore {
  readonly #folder: string;
  readonly #kind: ImageKind;

  /** @param folder is made when the first file is published */
  constructor(folder: string, kind: ImageKind) {
    this.#folder = folder;
    this.#kind = kind;
  }

  /** Name of the file to serve; undefined while there is none. Cheap enough to ask every half second. */
  async current(): Promise<string | undefined> {
    return (await this.#pointer()).current;
  }

  /**
   * Reads the current file into memory that threads can share, and checks it in full. Where that fails, the file before it is tried.
   * @param refused is called for every file that could not be used
   * @returns undefined when there is no usable file
   */
  async load(refused: (file: string, error: Error) => void): Promise<LoadedImage | undefined> {
    return loadFirstUsable(await this.#pointer(), (file) => this.#read(file, 'everything'), refused);
  }

  /**
   * Makes these bytes the current file. The same bytes again change nothing.
   * @returns name of the file
   * @throws ImageError when the bytes are not a sound image
   */
  async publish(bytes: Uint8Array): Promise<string> {
    const file = await imageName(bytes, this.#kind);
    const { current, previous } = await this.#pointer();
    if (file === current && (await this.#isSound(file))) return file;
    await writeDurably(join(this.#folder, file), bytes);
    const before = current === file ? previous : current;
    const pointer = before === undefined ? { current: file } : { current: file, previous: before };
    await writeDurably(join(this.#folder, POINTER), new TextEncoder().encode(`${JSON.stringify(pointer)}\n`));
    await this.#removeOthers([file, before]);
    return file;
  }

  async #isSound(file: string): Promise<boolean> {
    try {
      await this.#read(file, 'checksums');
      return true;
    } catch {
      // Writing the file again mends every fault it can have.
      return false;
    }
  }

  async #read(file: string, depth: ImageDepth): Promise<SharedArrayBuffer> {
    const buffer = await readImageFile(join(this.#folder, file), this.#kind);
    await checkImage(buffer, this.#kind, depth);
    return buffer;
  }

  async #pointer(): Promise<Pointer> {
    let text: string;
    try {
      text = await readFile(join(this.#folder, POINTER), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw error;
    }
    return parsePointer(text);
  }

  async #removeOthers(keep: readonly (string | undefined)[]): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const ours = name.startsWith(`${this.#kind}-`) && name.endsWith(SUFFIX);
      // A file that another process still has open cannot be removed everywhere; it goes next time.
      if (ours && !keep.includes(name)) await rm(join(this.#folder, name), { force: true }).catch(() => undefined);
    }
  }
}

export interface Pointer {
  readonly current?: string;
  readonly previous?: string;
}

/** The file the pointer names, or where that cannot be used the one before it. @param refused is called for every file that could not be used */
export async function loadFirstUsable(
  { current, previous }: Pointer,
  read: (file: string) => Promise<SharedArrayBuffer>,
  refused: (file: string, error: Error) => void,
): Promise<LoadedImage | undefined> {
  for (const file of [current, previous]) {
    if (file === undefined) continue;
    try {
      return { file, buffer: await read(file) };
    } catch (error) {
      refused(file, error as Error);
    }
  }
  return undefined;
}

/** A pointer that is not JSON names nothing; the next publication replaces it. */
export function parsePointer(text: string): Pointer {
  try {
    const { current, previous } = JSON.parse(text) as { current?: unknown; previous?: unknown };
    return { ...(isFileName(current) && { current }), ...(isFileName(previous) && { previous }) };
  } catch {
    return {};
  }
}

/** The name that identifies the content of these bytes. @throws ImageError when they are not a sound image */
export async function imageName(bytes: Uint8Array, kind: ImageKind): Promise<string> {
  const { buffer } = new Image(wholeBuffer(bytes), kind);
  await checkImage(buffer, kind, 'checksums');
  return `${kind}-${headerName(bytes)}${SUFFIX}`;
}

const wholeBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer | SharedArrayBuffer =>
  byteOffset === 0 && byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);

const isFileName = (name: unknown): name is string => typeof name === 'string' && /^[a-z]+-[0-9a-f]{16}\.img$/.test(name);

/** The header's checksum covers the directory and so the checksums of all sections: it names the content. */
function headerName(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  return [28, 24].map((at) => view.getUint32(at, true).toString(16).padStart(8, '0')).join('');
}

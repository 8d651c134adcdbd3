import { HEADER_BYTES, Image, type ImageKind } from '../../engine/image.ts';
import { CurrentFiles, type PointerFormat } from '../system/current-files.ts';
import type { FilePlace } from '../system/file-folder.ts';
import { checkImage } from './check-image.ts';

/** Where published images lie. */
export interface ImagePlace extends FilePlace {
  /** Reads one compiled file whole into memory that threads can share. @throws ImageError when it is cut off */
  image(name: string, kind: ImageKind): Promise<SharedArrayBuffer>;
  /** Whether the file of that name, which its pointer names, is still what its name says. */
  holds(name: string, kind: ImageKind): Promise<boolean>;
}

interface LoadedImage {
  readonly file: string;
  readonly buffer: SharedArrayBuffer;
}

/**
 * Compiled images of one kind on their way from the node that compiles to those that serve. A file's name follows from its content, and `current.json` names the
 * one to serve and the one before it. Half a file or a damaged one is never loaded.
 */
export class PublishedImages {
  readonly #place: ImagePlace;
  readonly #kind: ImageKind;
  readonly #files: CurrentFiles<string>;

  constructor(place: ImagePlace, kind: ImageKind) {
    this.#place = place;
    this.#kind = kind;
    this.#files = new CurrentFiles(place, FORMAT);
  }

  /** Name of the file to serve, which identifies its content; undefined while there is none. */
  async current(): Promise<string | undefined> {
    return (await this.#files.read()).current;
  }

  /**
   * Loads the current file into memory that threads can share, and checks it in full. Where that fails, the file before it is tried.
   * @param refused is called for every file that could not be used
   * @returns undefined when there is no usable file
   */
  async load(refused: (file: string, error: Error) => void): Promise<LoadedImage | undefined> {
    const kind = this.#kind;
    const found = await this.#files.firstUsable(async (file) => checkImage(await this.#place.image(file, kind), kind, 'everything'), refused);
    return found && { file: found.named, buffer: found.loaded };
  }

  /**
   * Makes these bytes the current file. The same bytes again change nothing.
   * @returns name of the file
   * @throws ImageError when the bytes are not a sound image
   */
  async publish(bytes: Uint8Array): Promise<string> {
    const file = await imageName(bytes, this.#kind);
    if (file === (await this.current()) && (await this.#place.holds(file, this.#kind))) return file;
    await this.#place.write(file, bytes);
    await this.#files.replace(file);
    return file;
  }
}

const isFileName = (name: unknown): name is string => typeof name === 'string' && /^[a-z]+-[0-9a-f]{16}\.img$/.test(name);

/** A pointer that names nothing usable is replaced with the next publication. */
const FORMAT: PointerFormat<string> = {
  name: 'current.json',
  parse(json) {
    const { current, previous } = Object(json) as { current?: unknown; previous?: unknown };
    return { ...(isFileName(current) && { current }), ...(isFileName(previous) && { before: previous }) };
  },
  print: ({ current, before }) => `${JSON.stringify({ current, previous: before })}\n`,
  files: (name) => [name],
  owns: isFileName,
  derived: true,
};

/** The name that identifies the content of these bytes. */
async function imageName(bytes: Uint8Array, kind: ImageKind): Promise<string> {
  const { buffer } = new Image(wholeBuffer(bytes), kind);
  await checkImage(buffer, kind, 'checksums');
  return `${kind}-${headerName(bytes)}.img`;
}

const wholeBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer | SharedArrayBuffer =>
  byteOffset === 0 && byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);

/** The header's checksum covers the directory and so the checksums of all sections: it names the content. */
function headerName(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  return [28, 24].map((at) => view.getUint32(at, true).toString(16).padStart(8, '0')).join('');
}

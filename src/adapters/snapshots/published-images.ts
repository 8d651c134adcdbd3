import { HEADER_BYTES, Image, type ImageBuffer, type ImageKind } from '../../engine/image.ts';
import { CurrentFiles, type Pointer } from '../system/current-files.ts';
import type { FilePlace } from '../system/file-folder.ts';
import { checkImage, digestOf } from './check-image.ts';
import { type PublishedFile, SealError, SealedPointer, type SnapshotKeys } from './sealed-pointer.ts';
import { openShared, type SharedImage } from './shared-image.ts';
import type { TakenSequences } from './taken-sequences.ts';

/** Where published images lie. */
export interface ImagePlace extends FilePlace {
  /** Reads one compiled file whole into memory that threads can share. @throws ImageError when it is cut off */
  image(name: string, kind: ImageKind): Promise<SharedArrayBuffer>;
  /** Whether the file of that name, which its pointer names, still fits its name. */
  holds(name: string, kind: ImageKind): Promise<boolean>;
}

interface LoadedImage {
  readonly file: string;
  readonly buffer: SharedArrayBuffer;
}

export interface PublishedOptions {
  /** Seals and checks pointers. */
  readonly keys: SnapshotKeys;
  /** For a node that takes images: the ones followed before. A pointer older than that is refused. */
  readonly taken?: TakenSequences;
}

/**
 * Compiled images of one kind on their way from the node that compiles to those that serve. A file's name follows from its content, and `current.json` names the
 * one to serve and the one before it, under a seal that only the deployment's nodes can make. Half a file or a damaged one is never loaded, nor one that is not
 * of such a node.
 */
export class PublishedImages {
  readonly #place: ImagePlace;
  readonly #kind: ImageKind;
  readonly #pointer: SealedPointer;
  readonly #files: CurrentFiles<PublishedFile>;
  readonly #taken: TakenSequences | undefined;

  constructor(place: ImagePlace, kind: ImageKind, { keys, taken }: PublishedOptions) {
    this.#place = place;
    this.#kind = kind;
    this.#pointer = new SealedPointer(kind, keys);
    this.#files = new CurrentFiles(place, this.#pointer);
    this.#taken = taken;
  }

  /** Name of the file to serve, undefined while there is none. @throws SealError for a pointer not to be followed */
  async current(): Promise<string | undefined> {
    return (await this.#read()).current?.file;
  }

  /** Loads and checks the current file, or the one before; `refused` hears of each that could not be used. */
  async load(refused: (file: string, error: Error) => void): Promise<LoadedImage | undefined> {
    const kind = this.#kind;
    const load = async ({ file, sha256 }: PublishedFile): Promise<LoadedImage> => {
      const buffer = await this.#place.image(file, kind);
      await checkImage(buffer, kind, 'everything', sha256);
      return { file, buffer };
    };
    return (await this.#files.firstUsable(load, ({ file }, error) => refused(file, error), await this.#read()))?.loaded;
  }

  /**
   * Makes these bytes the current file. The same bytes again change nothing, unless their pointer has lost its seal, has one of a former secret, or is older than
   * one that was there before.
   * @returns name of the file
   * @throws ImageError when it is not a sound image
   */
  async publish(given: SharedImage | Uint8Array): Promise<string> {
    const image = given instanceof Uint8Array ? wholeBuffer(given) : given;
    const bytes = new Uint8Array(new Image(openShared(image, this.#kind), this.#kind).buffer);
    await checkImage(image, this.#kind, 'checksums');
    const file = `${this.#kind}-${headerName(bytes)}.img`;
    const { current } = await this.#files.read();
    const stands = this.#pointer.current && !this.#isOld();
    if (file === current?.file && stands && (await this.#place.holds(file, this.#kind))) return file;
    const sha256 = await digestOf(image, this.#kind);
    await this.#place.write(file, bytes);
    await this.#files.replace({ file, sha256 });
    return file;
  }

  /**
   * Whether a pointer is there that nodes refuse, because they followed a newer one: two publishers wrote at once and the slower one's came last, or an
   * old one was put back.
   */
  async steppedBack(): Promise<boolean> {
    await this.#files.read();
    return this.#isOld();
  }

  #isOld(): boolean {
    return this.#pointer.sequence < this.#pointer.highest;
  }

  async #read(): Promise<Pointer<PublishedFile>> {
    // Of a pointer that is gone since, nothing counts.
    this.#pointer.fault = undefined;
    const pointer = await this.#files.read();
    if (this.#pointer.fault !== undefined) throw this.#pointer.fault;
    if (pointer.current !== undefined) await this.#follow(this.#pointer.sequence);
    return pointer;
  }

  async #follow(sequence: number): Promise<void> {
    const newest = this.#taken?.newest(this.#kind) ?? 0;
    if (sequence < newest)
      throw new SealError(
        `current.json is the publication of ${timeOf(sequence)}, and that of ${timeOf(newest)} was followed before`,
      );
    await this.#taken?.note(this.#kind, sequence);
  }
}

/** A sequence is a time, and may be a little ahead of it. */
const timeOf = (sequence: number): string => new Date(sequence).toISOString();

const wholeBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): ImageBuffer =>
  byteOffset === 0 && byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);

/** The header's checksum covers the directory and so the checksums of all sections: it names the content. */
function headerName(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  return [28, 24].map((at) => view.getUint32(at, true).toString(16).padStart(8, '0')).join('');
}

import { statSync } from 'node:fs';
import { parseRecord } from '../../core/kit/json.ts';
import { fault } from '../../core/texts/said.ts';
import { HEADER_BYTES, Image, type ImageBuffer, ImageError, type ImageKind } from '../../engine/image.ts';
import { CurrentFiles, type Pointer } from '../system/current-files.ts';
import { type FilePlace, readOptionalFile } from '../system/files.ts';
import { mapFile, openShared as openSharedFile, type SharedFile, shareFile } from '../system/map-file.ts';
import { writeDurably } from '../system/write-durably.ts';
import { checkImage, digestOf } from './check-image.ts';
import type { KeptImages } from './kept-images.ts';
import { type PublishedFile, SealedPointer, SealedPointerError, type SnapshotKeys } from './sealed-pointer.ts';

/**
 * - `holds`: returns whether a file has the content that its name states, as far as this shows without a download.
 * - `clockOffsetMs`: the clock of its server less that of this machine at the last answer, milliseconds.
 */
export interface ImagePlace extends FilePlace {
  image(name: string, kind: ImageKind): Promise<SharedArrayBuffer>;
  holds(name: string, kind: ImageKind): Promise<boolean>;
  readonly clockOffsetMs?: number | undefined;
}

interface LoadedImage {
  readonly file: string;
  readonly image: SharedImage;
}

/**
 * - `taken`: set on a node that follows images: it refuses a pointer older than these sequences.
 * - `published`: set on a node that publishes: its sequences continue when it changes to another place.
 */
export interface PublishedOptions {
  readonly keys: SnapshotKeys;
  readonly taken?: TakenSequences;
  readonly published?: TakenSequences;
  readonly kept?: KeptImages | undefined;
}

/**
 * Compiled images of one kind, sent from the node that compiles to those that serve. A file is named by its
 * content. `current.json` names the file to serve and the one before, under a seal that only the deployment's
 * nodes can make. Partial, damaged and foreign files are never loaded.
 */
export class PublishedImages {
  readonly #place: ImagePlace;
  readonly #kind: ImageKind;
  readonly #pointer: SealedPointer;
  readonly #files: CurrentFiles<PublishedFile>;
  readonly #taken: TakenSequences | undefined;
  readonly #published: TakenSequences | undefined;
  readonly #kept: KeptImages | undefined;

  constructor(place: ImagePlace, kind: ImageKind, { keys, taken, published, kept }: PublishedOptions) {
    this.#place = place;
    this.#kind = kind;
    this.#pointer = new SealedPointer(kind, keys);
    this.#files = new CurrentFiles(place, this.#pointer);
    this.#taken = taken;
    this.#published = published;
    this.#kept = kept;
  }

  /**
   * Returns the name of the file to serve; undefined while there is none. @throws SealedPointerError for a
   * pointer that must not be followed
   */
  async current(): Promise<string | undefined> {
    return (await this.#read()).current?.file;
  }

  async load(refused: (file: string, error: Error) => void): Promise<LoadedImage | undefined> {
    const kind = this.#kind;
    const load = async (named: PublishedFile): Promise<LoadedImage> => {
      const { file, sha256 } = named;
      const kept = await this.#kept?.find(kind, named);
      if (kept !== undefined) return { file, image: kept };
      const buffer = await this.#place.image(file, kind);
      await checkImage(buffer, kind, 'everything', sha256);
      return { file, image: this.#kept === undefined ? buffer : await this.#kept.keep(kind, named, buffer) };
    };
    return (await this.#files.firstUsable(load, ({ file }, error) => refused(file, error), await this.#read()))?.loaded;
  }

  async kept(): Promise<LoadedImage | undefined> {
    return await this.#kept?.newest(this.#kind);
  }

  /**
   * Makes these bytes the current file. Publishing the same bytes again changes nothing, unless their pointer
   * has no valid seal, a seal by a former secret, or an older sequence than one seen before.
   * @returns name of the file
   * @throws ImageError for an unsound image; Error when what was written cannot be read back
   */
  async publish(given: SharedImage | Uint8Array): Promise<string> {
    const image = given instanceof Uint8Array ? wholeBuffer(given) : given;
    const bytes = new Uint8Array(new Image(openShared(image, this.#kind), this.#kind).buffer);
    await checkImage(image, this.#kind, 'checksums');
    const file = `${this.#kind}-${headerName(bytes)}.img`;
    this.#pointer.startFrom(this.#published?.newest(this.#kind) ?? 0);
    const { current } = await this.#files.read();
    const stands = this.#pointer.current && !this.#isOld();
    if (file === current?.file && stands && (await this.#place.holds(file, this.#kind))) return file;
    const sha256 = await digestOf(image, this.#kind);
    await this.#place.write(file, bytes);
    await this.#files.replace({ file, sha256 });
    const { highest } = this.#pointer;
    await this.#published?.note(this.#kind, highest);
    const back = await this.#files.read();
    const isThere =
      this.#pointer.sequence > highest || (this.#pointer.sequence === highest && back.current?.file === file);
    if (!isThere || (back.current?.file === file && !(await this.#place.holds(file, this.#kind))))
      throw new Error(`the publication of ${file} cannot be read back from its place`);
    return file;
  }

  /**
   * Returns whether nodes refuse the present pointer because they followed a newer one. Two publishers may
   * have written at once, or an old pointer was restored.
   */
  async steppedBack(): Promise<boolean> {
    await this.#files.read();
    return this.#isOld();
  }

  #isOld(): boolean {
    return this.#pointer.sequence < this.#pointer.highest;
  }

  async #read(): Promise<Pointer<PublishedFile>> {
    this.#pointer.fault = undefined;
    const pointer = await this.#files.read();
    if (this.#pointer.fault !== undefined) throw this.#pointer.fault;
    if (pointer.current !== undefined) await this.#follow(this.#pointer.sequence);
    return pointer;
  }

  async #follow(sequence: number): Promise<void> {
    const newest = this.#taken?.newest(this.#kind) ?? 0;
    if (sequence < newest)
      throw new SealedPointerError(
        `current.json is the publication of ${timeOf(sequence)}, and that of ${timeOf(newest)} was followed before; the publishing node replaces it within ten seconds, and if that node and its data folder are new, delete taken-snapshots.json here`,
      );
    await this.#taken?.note(this.#kind, sequence);
  }
}

const timeOf = (sequence: number): string => new Date(sequence).toISOString();

const wholeBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): ImageBuffer =>
  byteOffset === 0 && byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);

/**
 * The header's checksum covers the directory with the checksums of all sections, so it identifies the
 * content.
 */
function headerName(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  return [28, 24].map((at) => view.getUint32(at, true).toString(16).padStart(8, '0')).join('');
}

export type SharedImage = SharedArrayBuffer | SharedFile;

export function openShared(image: SharedImage | ImageBuffer, kind: ImageKind): ImageBuffer {
  if (!('path' in image)) return image;
  const buffer = openSharedFile(image);
  new Image(buffer, kind);
  return buffer;
}

export function shareImageFile(path: string): SharedFile {
  requireHeader(path);
  return shareFile(path);
}

export function mapImage(path: string, kind: ImageKind): ArrayBuffer {
  requireHeader(path);
  const buffer = mapFile(path);
  new Image(buffer, kind);
  return buffer;
}

function requireHeader(path: string): void {
  const { size } = statSync(path);
  if (size < HEADER_BYTES) throw new ImageError(`${size} bytes`);
}

export interface TakenSequences {
  newest(kind: ImageKind): number;
  note(kind: ImageKind, sequence: number): Promise<void>;
}

/** Kept in a file, so that a restarted node does not follow an older publication than the one it served. */
export class TakenSequencesFile implements TakenSequences {
  readonly #path: string;
  #known: { readonly [Kind in ImageKind]?: number } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  newest(kind: ImageKind): number {
    this.#known ??= this.#read();
    return this.#known[kind] ?? 0;
  }

  async note(kind: ImageKind, sequence: number): Promise<void> {
    if (sequence <= this.newest(kind)) return;
    this.#known = { ...this.#known, [kind]: sequence };
    await writeDurably(this.#path, Buffer.from(`${JSON.stringify(this.#known)}\n`));
  }

  #read(): { readonly [Kind in ImageKind]?: number } {
    const bytes = readOptionalFile(this.#path);
    if (bytes === undefined) return {};
    const known: Readonly<Record<string, unknown>> = parseRecord(String(bytes)) ?? { damaged: true };
    if (
      Object.values(known).every(
        (value) => Number.isSafeInteger(value) && !Number.isNaN(new Date(value as number).getTime()),
      )
    )
      return known;
    throw fault('{path} is damaged; delete it to accept what is published now', { path: this.#path });
  }
}

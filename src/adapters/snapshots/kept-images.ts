import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageKind } from '../../engine/image.ts';
import { CurrentFiles, type Pointer, type PointerFormat } from '../system/current-files.ts';
import { FileFolder } from '../system/files.ts';
import { checkImage } from './check-image.ts';
import { readImageFile } from './image-folder.ts';
import { type SharedImage, shareImageFile } from './published-images.ts';
import { isPublishedFile, type PublishedFile } from './sealed-pointer.ts';

const POINTER: PointerFormat<PublishedFile> = {
  name: 'kept.json',
  parse: (json) => {
    const { current, before } = Object(json) as Record<string, unknown>;
    if (!isPublishedFile(current)) return undefined;
    return isPublishedFile(before) ? { current, before } : { current };
  },
  print: (pointer: Pointer<PublishedFile>) => `${JSON.stringify(pointer)}\n`,
  files: ({ file }) => [file],
  owns: (name) => name.endsWith('.img'),
};

const MAPPED: ImageKind = 'geo';

/**
 * Copies followed images into a folder of this node alone. A restart answers from them while the place of
 * published images is away.
 */
export class KeptImages {
  readonly #dir: string;
  readonly #onUnkept: (error: unknown) => void;

  constructor(dir: string, onUnkept: (error: unknown) => void) {
    this.#dir = dir;
    this.#onUnkept = onUnkept;
  }

  async find(kind: ImageKind, { file, sha256 }: PublishedFile): Promise<SharedImage | undefined> {
    const path = join(this.#dir, kind, file);
    if (!existsSync(path)) return undefined;
    try {
      const image = await opened(path, kind);
      await checkImage(image, kind, 'everything', sha256);
      return image;
    } catch {
      // A damaged copy is written again from the place of published images.
      return undefined;
    }
  }

  async newest(kind: ImageKind): Promise<{ readonly file: string; readonly image: SharedImage } | undefined> {
    const { current, before } = await this.#files(kind).read();
    for (const named of [current, before]) {
      const image = named && (await this.find(kind, named));
      if (image !== undefined) return { file: named!.file, image };
    }
    return undefined;
  }

  async keep(kind: ImageKind, named: PublishedFile, buffer: SharedArrayBuffer): Promise<SharedImage> {
    try {
      await this.#folder(kind).write(named.file, new Uint8Array(buffer));
      await this.#files(kind).replace(named);
      return kind === MAPPED ? shareImageFile(join(this.#dir, kind, named.file)) : buffer;
    } catch (error) {
      this.#onUnkept(error);
      return buffer;
    }
  }

  #folder(kind: ImageKind): FileFolder {
    return new FileFolder(join(this.#dir, kind));
  }

  #files(kind: ImageKind): CurrentFiles<PublishedFile> {
    return new CurrentFiles(this.#folder(kind), POINTER);
  }
}

const opened = async (path: string, kind: ImageKind): Promise<SharedImage> =>
  kind === MAPPED ? shareImageFile(path) : await readImageFile(path, kind);

import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { ImageError, type ImageKind } from '../../engine/image.ts';
import { checkImage } from './check-image.ts';
import { type ImageStore, imageName, type LoadedImage, loadFirstUsable, type Pointer, parsePointer } from './image-folder.ts';

export interface BucketPlace {
  readonly bucket: string;
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string;
  /** `https://endpoint/bucket/key` (MinIO and most others) rather than `https://bucket.endpoint/key`. */
  readonly pathStyle: boolean;
}

/** A store that does not answer is asked again by its caller, so a call gives up soon. */
const CONNECT_MS = 3000;
const SILENCE_MS = 20_000;

/**
 * Compiled files of one kind in an S3-compatible bucket. Endpoint, region and credentials are those of the AWS_… environment. A file's name states its
 * content and `current.json` is written after it, so a reader is never sent to half a file; what it reads is checked in full all the same.
 */
export class ImageBucket implements ImageStore {
  readonly #place: BucketPlace;
  readonly #kind: ImageKind;
  #client: Promise<S3Client> | undefined;

  constructor(place: BucketPlace, kind: ImageKind) {
    this.#place = place;
    this.#kind = kind;
  }

  async current(): Promise<string | undefined> {
    return (await this.#pointer()).current;
  }

  async load(refused: (file: string, error: Error) => void): Promise<LoadedImage | undefined> {
    return loadFirstUsable(await this.#pointer(), (file) => this.#read(file), refused);
  }

  async publish(bytes: Uint8Array): Promise<string> {
    const file = await imageName(bytes, this.#kind);
    const { current, previous } = await this.#pointer();
    if (file === current) return file;
    await this.#put(file, bytes, 'application/octet-stream');
    const pointer: Pointer = current === undefined ? { current: file } : { current: file, previous: current };
    await this.#put('current.json', new TextEncoder().encode(`${JSON.stringify(pointer)}\n`), 'application/json');
    if (previous !== undefined && previous !== file) await this.#remove(previous);
    return file;
  }

  async #pointer(): Promise<Pointer> {
    const { GetObjectCommand, NoSuchKey } = await import('@aws-sdk/client-s3');
    try {
      const { Body } = await (await this.#open()).send(new GetObjectCommand(this.#key('current.json')));
      return parsePointer(await Body!.transformToString());
    } catch (error) {
      if (error instanceof NoSuchKey) return {};
      throw error;
    }
  }

  async #read(file: string): Promise<SharedArrayBuffer> {
    const { GetObjectCommand } = await import('@aws-sdk/client-s3');
    const { Body, ContentLength: size = 0 } = await (await this.#open()).send(new GetObjectCommand(this.#key(file)));
    const buffer = new SharedArrayBuffer(size);
    const bytes = new Uint8Array(buffer);
    let at = 0;
    for await (const chunk of Body as Readable) {
      if (at + chunk.length > size) throw new ImageError(`it is longer than ${size} bytes`);
      bytes.set(chunk, at);
      at += chunk.length;
    }
    if (at < size) throw new ImageError(`it ends at ${at} of ${size} bytes`);
    await checkImage(buffer, this.#kind, 'everything');
    return buffer;
  }

  async #put(name: string, bytes: Uint8Array, type: string): Promise<void> {
    const { PutObjectCommand } = await import('@aws-sdk/client-s3');
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    await (await this.#open()).send(new PutObjectCommand({ ...this.#key(name), Body: body, ContentType: type }));
  }

  /** A file that stays costs its storage and nothing else. */
  async #remove(name: string): Promise<void> {
    const { DeleteObjectCommand } = await import('@aws-sdk/client-s3');
    await (await this.#open()).send(new DeleteObjectCommand(this.#key(name))).catch(() => undefined);
  }

  #key(name: string): { readonly Bucket: string; readonly Key: string } {
    const { bucket, prefix } = this.#place;
    return { Bucket: bucket, Key: [prefix, this.#kind, name].filter((part) => part !== '').join('/') };
  }

  #open(): Promise<S3Client> {
    this.#client ??= import('@aws-sdk/client-s3').then(
      ({ S3Client }) =>
        new S3Client({
          forcePathStyle: this.#place.pathStyle,
          requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
          // Our own checksums are inside the file; many compatible stores know none of the newer ones.
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
        }),
    );
    return this.#client;
  }
}

import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { Image, ImageError, type ImageKind } from '../../engine/image.ts';
import { within } from '../http-client/within.ts';
import type { ImagePlace } from './published-images.ts';

export interface BucketPlace {
  readonly bucket: string;
  /** Object names begin with this; it has no slashes at its ends and may be empty. */
  readonly prefix: string;
  /** Selects `https://endpoint/bucket/key` (MinIO and most others) over `https://bucket.endpoint/key`. */
  readonly pathStyle: boolean;
}

/** Callers retry, so a silent store is given up early. */
const CONNECT_MS = 3000;
const SILENCE_MS = 20_000;
const IMAGE_MS = 600_000;

export class ImageBucket implements ImagePlace {
  readonly #place: BucketPlace;
  #client: Promise<S3Client> | undefined;

  constructor(place: BucketPlace) {
    this.#place = place;
  }

  async text(name: string): Promise<string | undefined> {
    const { GetObjectCommand, NoSuchKey } = await import('@aws-sdk/client-s3');
    try {
      return await this.#within(SILENCE_MS, async (client, end) => {
        const { Body } = await client.send(new GetObjectCommand(this.#key(name)), end);
        return Body!.transformToString();
      });
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async image(file: string, kind: ImageKind): Promise<SharedArrayBuffer> {
    const { GetObjectCommand } = await import('@aws-sdk/client-s3');
    return this.#within(IMAGE_MS, async (client, end) => {
      const { Body, ContentLength: size = 0 } = await client.send(new GetObjectCommand(this.#key(file)), end);
      const buffer = new SharedArrayBuffer(size);
      const bytes = new Uint8Array(buffer);
      let at = 0;
      for await (const chunk of Body as Readable) {
        if (at + chunk.length > size) throw new ImageError(`it is longer than ${size} bytes`);
        bytes.set(chunk, at);
        at += chunk.length;
      }
      if (at < size) throw new ImageError(`it ends at ${at} of ${size} bytes`);
      new Image(buffer, kind);
      return buffer;
    });
  }

  /** An object is complete or absent, and its name states its content, so it is not downloaded for this. */
  async holds(name: string): Promise<boolean> {
    const { HeadObjectCommand, NotFound } = await import('@aws-sdk/client-s3');
    try {
      await this.#within(SILENCE_MS, (client, end) => client.send(new HeadObjectCommand(this.#key(name)), end));
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const { PutObjectCommand } = await import('@aws-sdk/client-s3');
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const type = name.endsWith('.json') ? 'application/json' : 'application/octet-stream';
    const put = new PutObjectCommand({ ...this.#key(name), Body: body, ContentType: type });
    await this.#within(IMAGE_MS, (client, end) => client.send(put, end));
  }

  async remove(name: string): Promise<void> {
    const { DeleteObjectCommand } = await import('@aws-sdk/client-s3');
    const remove = new DeleteObjectCommand(this.#key(name));
    await this.#within(SILENCE_MS, (client, end) => client.send(remove, end)).catch(() => undefined);
  }

  #key(name: string): { readonly Bucket: string; readonly Key: string } {
    const { bucket, prefix } = this.#place;
    return { Bucket: bucket, Key: [prefix, name].filter((part) => part !== '').join('/') };
  }

  async #within<T>(ms: number, use: (client: S3Client, end: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    const client = await this.#open();
    return within(ms, (abortSignal) => use(client, { abortSignal }));
  }

  #open(): Promise<S3Client> {
    this.#client ??= import('@aws-sdk/client-s3').then(
      ({ S3Client }) =>
        new S3Client({
          forcePathStyle: this.#place.pathStyle,
          requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
          // The file has its own checksums, and many compatible stores do not support the newer ones.
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
        }),
    );
    return this.#client;
  }
}

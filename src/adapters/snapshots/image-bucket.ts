import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { S3 } from '@aws-sdk/client-s3';
import { clockOffset } from '../../core/clock-offset.ts';
import { unixMs } from '../../core/units.ts';
import { Image, ImageError, type ImageKind } from '../../engine/image.ts';
import { http, https } from '../http-client/get-url.ts';
import { within } from '../http-client/within.ts';
import { NO_ANSWER } from '../system/system-fault.ts';
import type { ImagePlace } from './published-images.ts';

/**
 * - `prefix`: object names begin with this; it has no slashes at its ends and may be empty.
 * - `pathStyle`: selects `https://endpoint/bucket/key` (MinIO and most others) over `https://bucket.endpoint/key`.
 */
export interface BucketPlace {
  readonly bucket: string;
  readonly prefix: string;
  readonly pathStyle: boolean;
}

/** Callers retry, so a silent store is given up early. */
const CONNECT_MS = 3000;
const TIMES = { silenceMs: 20_000, imageMs: 600_000 };

const nameOf = (error: unknown): string => (error as Error).name;

interface HttpAnswer {
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export class ImageBucket implements ImagePlace {
  readonly #place: BucketPlace;
  readonly #times: typeof TIMES;
  #client: Promise<S3> | undefined;
  clockOffsetMs: number | undefined;

  constructor(place: BucketPlace, times = TIMES) {
    this.#place = place;
    this.#times = times;
  }

  async text(name: string): Promise<string | undefined> {
    try {
      return await this.#within(this.#times.silenceMs, async (client, end) => {
        const { Body } = await client.getObject(this.#key(name), end);
        return Body!.transformToString();
      });
    } catch (error) {
      if (nameOf(error) === 'NoSuchKey') return undefined;
      throw error;
    }
  }

  async image(file: string, kind: ImageKind): Promise<SharedArrayBuffer> {
    return this.#within(this.#times.imageMs, async (client, end) => {
      const head = within(this.#times.silenceMs, () => client.getObject(this.#key(file), end));
      const { Body, ContentLength: size = 0 } = await head;
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
    try {
      await this.#within(this.#times.silenceMs, (client, end) => client.headObject(this.#key(name), end));
      return true;
    } catch (error) {
      if (nameOf(error) === 'NotFound') return false;
      throw error;
    }
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const type = name.endsWith('.json') ? 'application/json' : 'application/octet-stream';
    const put = { ...this.#key(name), Body: body, ContentType: type };
    await this.#within(this.#times.imageMs, (client, end) => client.putObject(put, end));
  }

  async remove(name: string): Promise<void> {
    await this.#within(this.#times.silenceMs, (client, end) => client.deleteObject(this.#key(name), end)).catch(
      () => undefined,
    );
  }

  #key(name: string): { readonly Bucket: string; readonly Key: string } {
    const { bucket, prefix } = this.#place;
    return { Bucket: bucket, Key: [prefix, name].filter((part) => part !== '').join('/') };
  }

  async #within<T>(ms: number, use: (client: S3, end: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    const client = await this.#open();
    return within(ms, (abortSignal) => use(client, { abortSignal }));
  }

  #open(): Promise<S3> {
    const { silenceMs } = this.#times;
    this.#client ??= import('@aws-sdk/client-s3').then(({ S3 }) => {
      const client = new S3({
        forcePathStyle: this.#place.pathStyle,
        maxAttempts: 1,
        requestHandler: {
          connectionTimeout: CONNECT_MS,
          socketTimeout: silenceMs,
          httpAgent: settling(new (http().Agent)(KEPT), silenceMs),
          httpsAgent: settling(new (https().Agent)(KEPT), silenceMs),
        },
        // The file has its own checksums, and many compatible stores do not support the newer ones.
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
      });
      client.middlewareStack.add(
        (next) => async (asked) => {
          const before = Date.now();
          const answer = await next(asked);
          const said = Date.parse((answer.response as HttpAnswer).headers['date'] ?? '');
          if (said > 0) this.clockOffsetMs = clockOffset(unixMs(said), before - 1000, Date.now());
          return answer;
        },
        { step: 'deserialize' },
      );
      return client;
    });
    return this.#client;
  }
}

const KEPT = { keepAlive: true, maxSockets: 50 };

type AddRequest = (request: ClientRequest, ...more: unknown[]) => void;

/**
 * Of an answer with 101 node says nothing, for which the library waits, or it looks like a success. An upload that is
 * sent is answered within `silenceMs`, whatever comes before the answer.
 */
function settling<A extends Agent>(agent: A, silenceMs: number): A {
  const { addRequest } = agent as A & { readonly addRequest: AddRequest };
  const watched: AddRequest = (request, ...more) => {
    const refuse = (response: IncomingMessage): void => {
      if (response.statusCode !== 101) return;
      response.socket.destroy();
      request.emit('error', new Error('it answers with 101'));
    };
    request.on('upgrade', refuse).prependListener('response', refuse);
    if (request.method === 'PUT')
      request.once('finish', () => {
        const timer = setTimeout(() => request.destroy(new Error(NO_ANSWER.cause)), silenceMs);
        request.once('close', () => clearTimeout(timer));
      });
    addRequest.call(agent, request, ...more);
  };
  return Object.assign(agent, { addRequest: watched });
}

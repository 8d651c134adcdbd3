import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';

export interface UrlAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readable;
}

export interface GetOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly lookup: LookupFunction;
  readonly post?: string;
}

/** Loaded by the first transfer: the threads that answer read no list. */
export const http = (): typeof import('node:http') => createRequire(import.meta.url)('node:http');
export const https = (): typeof import('node:https') => createRequire(import.meta.url)('node:https');

/**
 * One GET or POST over a connection of its own, which `lookup` leads; a pooled one may have been made under another
 * lookup. Redirects are answers, and so is 101, without a body.
 */
export async function getUrl(url: URL, { headers, signal, lookup, post }: GetOptions): Promise<UrlAnswer> {
  const { request: ask } = url.protocol === 'https:' ? https() : http();
  const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  ask(url, {
    agent: false,
    method: post === undefined ? 'GET' : 'POST',
    headers: { ...headers, 'accept-encoding': 'gzip, br' },
    signal,
    lookup,
  })
    .on('response', resolve)
    // Without a listener node ends the request and says nothing.
    .on('upgrade', (response, socket) => resolve(response) ?? socket.destroy())
    .on('error', reject)
    .on('close', () => reject(new Error('closed without an answer')))
    .end(post);
  const response = await answered;
  return { status: response.statusCode!, headers: response.headers, body: decoded(response) };
}

export async function bytesOf(body: Readable, maxBytes: number, tooLong: () => Error): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
};

function decoded(response: IncomingMessage): Readable {
  const decoder = DECODERS[response.headers['content-encoding']?.trim().toLowerCase() ?? ''];
  return decoder === undefined ? response : pipeline(response, decoder(), () => {});
}

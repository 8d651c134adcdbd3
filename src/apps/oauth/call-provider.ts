import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';

export interface ProviderRequest {
  readonly url: string;
  readonly body?: Buffer;
}

/**
 * Passes a request to the authorization server, which answers it. The library derives its addresses from Host
 * and the forwarding headers, so it gets a request in which those are ours. The body has already been read
 * within our limit.
 */
export function callProvider(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
  prefix: string,
  handed: ProviderRequest,
): void {
  const response = reply.raw;
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) response.setHeader(name, value);
  reply.hijack();
  const own = requestFor(provider, request.raw, { ...handed, originalUrl: `${prefix}${handed.url}` });
  handlerOf(provider)(own, response);
}

const handlers = new WeakMap<Provider, ReturnType<Provider['callback']>>();

/** Cached, because each call of `callback` composes the whole middleware chain. */
function handlerOf(provider: Provider) {
  const known = handlers.get(provider) ?? provider.callback();
  handlers.set(provider, known);
  return known;
}

/** Builds a request for the library's interaction calls, which read only cookies. */
export function ownRequest(provider: Provider, request: FastifyRequest): IncomingMessage {
  return requestFor(provider, request.raw, { url: request.url, originalUrl: request.url });
}

interface OwnRequest extends ProviderRequest {
  readonly originalUrl: string;
}

function requestFor({ issuer }: Provider, raw: IncomingMessage, own: OwnRequest) {
  const { host, protocol } = new URL(issuer);
  const {
    'x-forwarded-host': _host,
    'x-forwarded-for': _for,
    forwarded: _forwarded,
    'transfer-encoding': _encoding,
    'content-length': _length,
    ...kept
  } = raw.headers;
  const headers: IncomingHttpHeaders = { ...kept, host, 'x-forwarded-proto': protocol.slice(0, -1) };
  if (own.body !== undefined) headers['content-length'] = String(own.body.length);
  const { socket, method, httpVersion, httpVersionMajor, httpVersionMinor } = raw;
  const { url, originalUrl, body } = own;
  return Object.assign(Readable.from(body === undefined ? [] : [body], { objectMode: false }), {
    ...{ headers, url, originalUrl, socket, connection: socket, method, complete: true },
    ...{ httpVersion, httpVersionMajor, httpVersionMinor },
  }) as unknown as IncomingMessage;
}

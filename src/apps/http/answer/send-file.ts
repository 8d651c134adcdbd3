import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SiteFile } from '../../../service/site.ts';
import { etagOf, hasVersion, weighed } from './reply-headers.ts';

const YEAR_SEC = 31_536_000;

export function sendFile(request: FastifyRequest, reply: FastifyReply, file: SiteFile): FastifyReply {
  const vary = reply.getHeader('Vary');
  reply
    .header('Cache-Control', file.immutable ? `public, max-age=${YEAR_SEC}, immutable` : 'public, max-age=3600')
    .header('ETag', file.etag)
    .header('Vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  if (hasVersion(request.headers, file.etag)) return reply.code(304).send();
  if (file.brotli !== undefined && takesCoding(request, 'br'))
    return reply.header('Content-Encoding', 'br').type(file.type).send(file.brotli);
  if (file.gzip !== undefined && takesCoding(request, 'gzip'))
    return reply.header('Content-Encoding', 'gzip').type(file.type).send(file.gzip);
  return reply.type(file.type).send(file.bytes);
}

/** Whether the client names this content coding (RFC 9110, 12.5.3). */
export const takesCoding = ({ headers }: FastifyRequest, coding: string): boolean =>
  weighed(headers['accept-encoding']?.toString() ?? '').some(([name]) => name === coding);

export function textFile(type: string, text: string): SiteFile {
  const bytes = Buffer.from(text);
  return { type, bytes, gzip: gzipSync(bytes), brotli: undefined, immutable: false, etag: etagOf(bytes) };
}

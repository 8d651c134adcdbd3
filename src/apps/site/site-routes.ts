import { createHash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PAGES } from '../../contract/pages.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import type { Site, SiteFile } from '../../service/site.ts';
import type { HttpPlugin } from '../http/app.ts';
import { identifyClient } from '../http/steps/identify-caller.ts';

const YEAR_SEC = 31_536_000;

/** Headers of every page: nothing from another host, no inline script, no framing, no referrer. The nonce admits the style elements that the component library writes. */
const pageHeaders = (nonce: string): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Cache-Control': 'no-store',
});

/** Pages and files of the site. Every page is one document; the browser code reads the path. */
export function siteRoutes(site: Site): HttpPlugin {
  return (app, { services }) => {
    for (const page of PAGES) {
      for (const prefix of ['', '/en']) {
        const url = page === '/' ? prefix || '/' : `${prefix}${page.replace('*', ':rest')}`;
        app.get(url, { config: { page: true } }, (request, reply) => {
          identifyClient(request.exchange, services);
          const { client } = request.exchange;
          return sendDocument(reply, site.document, prefix === '' ? 'zh-CN' : 'en', client === undefined ? '' : formatAddress(client));
        });
      }
    }
    for (const [path, file] of site.files) {
      const etag = `"${createHash('sha256').update(file.bytes).digest('base64url').slice(0, 22)}"`;
      app.get(path, { config: { page: true } }, (request, reply) => sendFile(request, reply, file, etag));
    }
  };
}

/** The document with what only the service knows: its language, this answer's style nonce, and the address it saw. */
function sendDocument(reply: FastifyReply, document: string, language: string, client: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const html = document
    .replace(/<html lang="[^"]*">/, `<html lang="${language}">`)
    .replace('</head>', `<meta name="style-nonce" content="${nonce}" /><meta name="client-address" content="${client}" /></head>`);
  return reply.headers(pageHeaders(nonce)).type('text/html; charset=utf-8').send(html);
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: SiteFile, etag: string): FastifyReply {
  reply
    .header('Cache-Control', file.immutable ? `public, max-age=${YEAR_SEC}, immutable` : 'public, max-age=3600')
    .header('X-Content-Type-Options', 'nosniff')
    .header('ETag', etag)
    .header('Vary', 'Accept-Encoding');
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  const accepted = String(request.headers['accept-encoding'] ?? '');
  if (file.brotli !== undefined && /\bbr\b/.test(accepted)) return reply.header('Content-Encoding', 'br').type(file.type).send(file.brotli);
  if (file.gzip !== undefined && /\bgzip\b/.test(accepted)) return reply.header('Content-Encoding', 'gzip').type(file.type).send(file.gzip);
  return reply.type(file.type).send(file.bytes);
}

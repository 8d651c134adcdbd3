import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EDITIONS } from '../../../../core/export/export-record.ts';
import { type DatabaseFile, type FindDatabase, packTar } from '../../../../service/databases/database-file.ts';
import { Problem } from '../../../../service/problem.ts';
import { hasVersion } from '../../answer/reply-headers.ts';
import type { HttpPlugin } from '../../step.ts';
import { takeOnly } from '../../steps/read.ts';

interface Route {
  Params: { edition?: string };
  Querystring: Readonly<Record<string, string | string[] | undefined>>;
}
type Request = FastifyRequest<Route>;

/**
 * Serves database files to MaxMind's updater: GET /geoip/updates/metadata and
 * /geoip/databases/{edition}/download, and /geoip/databases/{edition}/update of older ones. Keys of operators
 * get the evidence of all sources, other keys that of sources which may be passed on.
 */
export const databaseRoutes =
  (find: FindDatabase): HttpPlugin =>
  (app) => {
    app.get<Route>('/geoip/updates/metadata', async (request) => {
      takeOnly(request.exchange, 'edition_id');
      const asked = request.query['edition_id'];
      if (asked === undefined || asked === '') throw new Problem('bad_request', { message: 'Name an edition_id.' });
      const editions = [asked].flat().filter((edition) => isEdition(edition));
      const files = await Promise.all(editions.map((edition) => fileOf(find, request, edition)));
      return {
        databases: files.map(({ edition, builtAt, md5 }) => ({ edition_id: edition, date: dateOf(builtAt), md5 })),
      };
    });
    app.get<Route>('/geoip/databases/:edition/download', async (request, reply) => {
      takeOnly(request.exchange, 'date', 'suffix');
      const { date, suffix = 'tar.gz' } = request.query;
      if (suffix !== 'tar.gz') throw new Problem('bad_request', { message: 'The suffix is tar.gz.' });
      const file = await fileOf(find, request, request.params.edition);
      const builtOn = dateOf(file.builtAt);
      if (date !== undefined && date.toString().replaceAll('-', '') !== builtOn.replaceAll('-', ''))
        throw new Problem('not_found', { message: `This edition was built on ${builtOn}.` });
      if (isKnown(request, reply, file)) return reply.code(304).send();
      const name = `${file.edition}_${builtOn.replaceAll('-', '')}`;
      const { stream, bytes } = packTar(file, `${name}/${file.edition}.mmdb`);
      reply.header('Content-Disposition', `attachment; filename=${name}.tar.gz`);
      return send(reply, stream, bytes);
    });
    app.get<Route>('/geoip/databases/:edition/update', async (request, reply) => {
      takeOnly(request.exchange, 'db_md5');
      const file = await fileOf(find, request, request.params.edition);
      if (request.query['db_md5'] === file.md5 || isKnown(request, reply, file)) return reply.code(304).send();
      reply.header('X-Database-MD5', file.md5);
      return send(reply, file.open(), file.packedBytes);
    });
  };

const isEdition = (name: string | undefined): boolean => Object.hasOwn(EDITIONS, name ?? '');

const dateOf = (builtAt: number): string => new Date(builtAt).toISOString().slice(0, 10);

const RETRY_SEC = 20;

/** @throws Problem not_found, forbidden, not_ready */
async function fileOf(
  find: FindDatabase,
  { exchange: { caller } }: Pick<Request, 'exchange'>,
  edition: string | undefined,
): Promise<DatabaseFile> {
  if (!isEdition(edition)) throw new Problem('not_found', { message: 'There is no edition of this name.' });
  if (caller?.kind !== 'key') throw new Problem('key_required');
  const found = await find(edition!, caller.account.operator);
  if (found === 'withheld')
    throw new Problem('forbidden', { message: 'This edition holds data of the operator that may not be passed on.' });
  if (found === 'in_making')
    throw new Problem('not_ready', {
      message: 'The file is being made. Ask again soon.',
      extras: { retry_after: RETRY_SEC },
    });
  return found;
}

/** Sets the headers that tell versions apart, and judges those of the request (RFC 9110, 13.1). */
function isKnown(request: Request, reply: FastifyReply, { md5, builtAt }: DatabaseFile): boolean {
  const etag = `"${md5}"`;
  reply.headers({ ETag: etag, 'Last-Modified': new Date(builtAt).toUTCString() });
  return hasVersion(request.headers, etag, builtAt);
}

function send(reply: FastifyReply, stream: Readable, bytes: number): FastifyReply {
  return reply.type('application/gzip').header('Content-Length', bytes).send(stream);
}

import type { FastifyRequest } from 'fastify';
import type { SourceNameFault } from '../../../../core/collection/beacon.ts';
import type { SendLimits } from '../../../../core/collection/source-limits.ts';
import type { Heartbeat } from '../../../../core/collection/tally/collection-tally.ts';
import type { UnixMs } from '../../../../core/units.ts';
import {
  INTAKE_LINES_MAX,
  type IntakeReply,
  type IntakeRequest,
  type SentBody,
} from '../../../../service/intake/accept-captures.ts';
import { Problem } from '../../../../service/problem.ts';
import type { HttpPlugin } from '../../step.ts';
import { takeEmpty } from '../../steps/require.ts';

const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

const SENT_AT = /^[0-9]{1,15}$/;
const BATCH_ID = /^[A-Za-z0-9._-]{1,64}$/;

const LINES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];
const CSV = 'text/csv';

const BUSY_RETRY_SEC = 2;

export type AcceptCaptures = (body: SentBody, request: IntakeRequest) => Promise<IntakeReply>;

export interface EvidenceSink {
  readonly accept: AcceptCaptures;
  readonly heartbeat: (heartbeat: Heartbeat) => Promise<void>;
  readonly senderNameFault: SourceNameFault;
}

/**
 * POST /v1/evidence?source=S: own sensors bring captures, as NDJSON or CSV (docs/evidence-intake.md). It
 * needs a key of an operator account that may write evidence. A send-only key speaks only as its own source,
 * in heartbeats too, and within its limits.
 * Refused lines are counted by reason and do not stop the others. It works without history too, because live
 * verdicts use these rows.
 * A request with X-Pulse-Sent-At shows that its sensor is alive and how far its clock is off; it may have no
 * rows.
 */
export const evidenceRoute =
  (sink: EvidenceSink): HttpPlugin =>
  (app, { services: { clock } }) => {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser([...LINES, CSV], { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, takeEmpty);
      // Set when an answer leaves, also a refusal, so that a sensor learns how far its own clock is off.
      scope.addHook('onSend', async (_request, reply) => void reply.header('X-Pulse-Time', String(clock.now())));
      scope.post<{ Querystring: { source?: unknown }; Body: Buffer | undefined }>(
        '/v1/evidence',
        { bodyLimit: BODY_LIMIT_BYTES, config: { gzip: true } },
        async (request, reply) => {
          const taken = await take(request, sink);
          if (taken.status !== 'taken') throw intakeProblem(taken, clock.now());
          reply.code(202);
          return taken.outcome;
        },
      );
    });
  };

type Request = FastifyRequest<{ Querystring: { source?: unknown }; Body: Buffer | undefined }>;

async function take(request: Request, { accept, heartbeat, senderNameFault }: EvidenceSink): Promise<IntakeReply> {
  const settled = requestOf(request, senderNameFault);
  const { source, at } = settled;
  const sentAt = sentAtOf(request.headers['x-pulse-sent-at']);
  if (sentAt !== undefined) await heartbeat({ source, seenAt: at, clockOffsetMs: at - sentAt }).catch(unavailable);
  return sentAt !== undefined && isEmpty(request) ? NO_ROWS : await accept(bodyOf(request), settled).catch(unavailable);
}

const NO_ROWS: IntakeReply = { status: 'taken', outcome: { lines: 0, accepted: 0, added: 0, refused: {} } };

const isEmpty = ({ body }: Pick<Request, 'body'>): boolean => body === undefined || body.length === 0;

/** @returns milliseconds since 1970 by the sender's clock @throws Problem bad_request */
function sentAtOf(header: string | readonly string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && SENT_AT.test(header)) return Number(header);
  throw new Problem('bad_request', {
    message: 'X-Pulse-Sent-At is the time of sending by your clock, in milliseconds since 1970.',
  });
}

function bodyOf({ body, headers }: Request): SentBody {
  if (body === undefined || body.length === 0)
    throw new Problem('bad_request', { message: 'Send one JSON object per line, or CSV with a header.' });
  return { bytes: body, gzip: headers['content-encoding']?.trim().toLowerCase() === 'gzip' };
}

/** @throws Problem bad_request, key_required, forbidden */
function requestOf({ exchange: { caller, at }, query, headers }: Request, nameFault: SourceNameFault): IntakeRequest {
  if (caller?.kind !== 'key') throw new Problem('key_required');
  const format = headers['content-type']?.toLowerCase().startsWith(CSV) === true ? 'csv' : 'ndjson';
  const { account, key } = caller;
  const source = key.sends === undefined ? sourceOf(query.source, nameFault) : ownSource(query.source, key.sends);
  return {
    source,
    format,
    at,
    account: account.id,
    id: idempotencyKeyOf(headers['idempotency-key']),
    key,
  };
}

function unavailable(cause: unknown): never {
  throw new Problem('history_unavailable', { cause });
}

function sourceOf(source: unknown, nameFault: SourceNameFault): string {
  if (typeof source !== 'string') throw new Problem('bad_request', { message: 'Name the source in ?source=.' });
  const fault = nameFault(source);
  if (fault !== undefined) throw new Problem('bad_request', { message: fault });
  return source;
}

/** A request may name the source of its send-only key. @throws Problem forbidden for another one */
function ownSource(named: unknown, { source }: SendLimits): string {
  if (named !== undefined && named !== source)
    throw new Problem('forbidden', { message: `This key sends as the source ${source} and as no other.` });
  return source;
}

export function idempotencyKeyOf(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined || (typeof header === 'string' && BATCH_ID.test(header))) return header;
  throw new Problem('bad_request', {
    message: 'Idempotency-Key has letters, digits, dots, dashes and underscores, at most 64.',
  });
}

export function intakeProblem(reply: Exclude<IntakeReply, { readonly status: 'taken' }>, now: UnixMs): Problem {
  switch (reply.status) {
    case 'over_budget':
      return new Problem('rate_limited', {
        message: `The sender has ${reply.of === 'lines' ? 'sent as many lines' : 'named as many addresses'} as it may for now; send this batch again later.`,
        extras: { retry_after: Math.max(1, Math.ceil((reply.until - now) / 1000)) },
      });
    case 'too_large':
      return new Problem('payload_too_large', { message: 'The body unpacks to more than 64 MiB; split it.' });
    case 'too_many_lines':
      return new Problem('payload_too_large', {
        message: `Send at most ${INTAKE_LINES_MAX.toLocaleString('en')} rows a request; split it.`,
      });
    case 'damaged_gzip':
      return new Problem('bad_request', { message: 'The body is not whole gzip.' });
    case 'differs':
      return new Problem('bad_request', {
        message: 'This Idempotency-Key was used for another batch; nothing was taken in.',
      });
    case 'untrusted':
      return new Problem('forbidden', {
        message: 'An operator withdrew the trust of this source: nothing of it is taken in. Keep the batch.',
      });
    case 'networks_forbidden':
      return new Problem('forbidden', {
        message:
          'This key may not write evidence about networks (/24, /48 and wider): nothing was taken in. Make one with --evidence --networks.',
      });
    case 'busy':
      return new Problem('rate_limited', {
        message: 'Too many batches wait to be stored; send this one again later.',
        extras: { retry_after: BUSY_RETRY_SEC },
      });
  }
}

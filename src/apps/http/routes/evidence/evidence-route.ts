import type { UnixMs } from '../../../../core/units.ts';
import type { ImportOutcome } from '../../../../service/import-captures.ts';
import { Problem } from '../../../../service/problem.ts';
import type { HttpPlugin } from '../../create-app.ts';

/** Largest body: some 100,000 rows. Sensors send more in several requests. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/** Names a source may have: what operators type and logs show. */
const SOURCE = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Takes captures of one source into history. */
export type AcceptCaptures = (source: string, body: Uint8Array, at: UnixMs) => Promise<ImportOutcome>;

/**
 * POST /v1/evidence?source=S: own sensors bring captures, one JSON object a line (docs/evidence-intake.md). Needs a key of an operator account.
 * Lines that are refused are counted by reason and do not stop the others. Works without history too: live verdicts rest on what comes in here.
 * @param accept must not keep the answering thread waiting for the store
 */
export const evidenceRoute =
  (accept: AcceptCaptures): HttpPlugin =>
  (app) => {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(['application/x-ndjson', 'application/ndjson', 'application/jsonl'], { parseAs: 'buffer' }, (_request, body, done) =>
        done(null, body),
      );
      scope.post<{ Querystring: { source?: unknown }; Body: Buffer | undefined }>(
        '/v1/evidence',
        { bodyLimit: BODY_LIMIT_BYTES },
        async ({ exchange, query, body }) => {
          if (typeof query.source !== 'string' || !SOURCE.test(query.source)) {
            throw new Problem('bad_request', { message: 'Name the source in ?source=: lower-case letters, digits, dots, dashes and underscores, at most 64.' });
          }
          if (body === undefined || body.length === 0) throw new Problem('bad_request', { message: 'Send one JSON object a line.' });
          try {
            return await accept(query.source, body, exchange.at);
          } catch (cause) {
            throw new Problem('history_unavailable', { cause });
          }
        },
      );
    });
  };

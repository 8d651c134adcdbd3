import type { IPRisk } from '../../../../contract/documents.ts';
import type { OwnRiskType } from '../../../../contract/risk.ts';
import { queryFields } from '../../../../core/caller/query.ts';
import { formatAddress } from '../../../../core/ip/format-address.ts';
import { parseAddress } from '../../../../core/ip/parse-address.ts';
import { parseRecord } from '../../../../core/kit/json.ts';
import { isoTime } from '../../../../service/iso-time.ts';
import { lookupIp } from '../../../../service/lookup/lookup-ip.ts';
import { Problem } from '../../../../service/problem.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpPlugin } from '../../step.ts';
import { type AcceptCaptures, intakeProblem } from '../evidence/evidence-route.ts';

/** The largest report has a comment of 1,024 characters, percent-encoded. */
const BODY_LIMIT_BYTES = 16 * 1024;

/**
 * Serves POST /api/v2/report and GET /api/v2/check to clients of AbuseIPDB. A report is a capture of own
 * collection by the source of the send-only key. Comments are dropped, because log lines may hold passwords.
 */
export const reportRoutes =
  (accept: AcceptCaptures): HttpPlugin =>
  (app, { services: { clock } }) => {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
      scope.post<{ Body: Buffer | undefined }>(
        '/api/v2/report',
        { bodyLimit: BODY_LIMIT_BYTES },
        async ({ exchange, body, headers }) => {
          const sent =
            body === undefined || body.length === 0 ? [] : await fieldsOf(body, headers['content-type'] ?? '');
          const fields = new Map([...queryFields(exchange.query), ...sent]);
          const ip = addressIn(fields.get('ip'));
          const row = {
            ip,
            risk_type: kindOf(fields.get('categories')),
            captured_at: fields.get('timestamp') ?? isoTime(exchange.at),
          };
          await take(accept, exchange, row).catch((error: unknown) => {
            throw error instanceof Problem ? error : new Problem('history_unavailable', { cause: error });
          });
          const score = exchange.view === undefined ? 0 : scoreOf(exchange, ip);
          return { data: { ipAddress: ip, abuseConfidenceScore: score } };
        },
      );
      async function take(to: AcceptCaptures, { caller, at }: Exchange, row: object): Promise<void> {
        if (caller?.kind !== 'key' || caller.key.sends === undefined)
          throw new Problem('forbidden', { message: 'Reports need a send-only key: pulse key create --send-only.' });
        const { account, key } = caller;
        const bytes = Buffer.from(`${JSON.stringify(row)}\n`);
        const request = { source: caller.key.sends.source, format: 'ndjson', at, account: account.id, key } as const;
        const reply = await to({ bytes, gzip: false }, request);
        if (reply.status !== 'taken') throw intakeProblem(reply, clock.now());
        const [reason] = Object.keys(reply.outcome.refused);
        if (reason !== undefined)
          throw new Problem(reason.endsWith('_not_allowed') ? 'forbidden' : 'bad_request', {
            message: `The report was refused: ${reason}.`,
          });
      }
    });
    app.get('/api/v2/check', async ({ exchange }, reply) => {
      const text = lookupIp(exchange.view!, exchange.address!, exchange.at);
      if (text === undefined) throw new Problem('not_found', { message: 'No record of this address.' });
      if (exchange.view!.degraded) reply.header('X-Pulse-Degraded', '1');
      return { data: checkDocument(JSON.parse(text) as IPRisk) };
    });
  };

/** Reads the fields of a form of either kind, or the members of a JSON object: lists may be arrays there. */
async function fieldsOf(body: Buffer, type: string): Promise<[name: string, value: string][]> {
  const form = type.split(';', 1)[0]!.trim().toLowerCase();
  if (form === 'application/x-www-form-urlencoded') return queryFields(body.toString());
  if (form === 'multipart/form-data') {
    const data = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => undefined);
    if (data === undefined) throw new Problem('bad_request', { message: 'The body is not multipart/form-data.' });
    return [...data].map(([name, value]) => [name, typeof value === 'string' ? value : '']);
  }
  if (form !== 'application/json')
    throw new Problem('unsupported_media_type', { message: 'Send a form, or application/json.' });
  const members = parseRecord(body.toString());
  if (members === undefined)
    throw new Problem('bad_request', { message: 'Send a JSON object with "ip" and "categories".' });
  const text = (value: unknown): string => (typeof value === 'object' ? '' : String(value));
  return Object.entries(members).flatMap(([name, value]) =>
    value === null ? [] : [[name, Array.isArray(value) ? value.map(text).join(',') : text(value)]],
  );
}

function addressIn(text: string | undefined): string {
  const parsed = parseAddress(text ?? '');
  if (parsed.status !== 'ok') throw new Problem(parsed.status === 'reserved' ? 'reserved_ip' : 'invalid_ip');
  return formatAddress(parsed.address);
}

/** AbuseIPDB's numbers for attempts at passwords: brute force, SSH. */
const CREDENTIALS: ReadonlySet<string> = new Set(['18', '22']);

function kindOf(categories = ''): OwnRiskType {
  const numbers = categories.split(',').map((number) => number.trim());
  if (!numbers.every((number) => /^\d{1,3}$/.test(number)))
    throw new Problem('bad_request', { message: 'categories are numbers of AbuseIPDB, separated by commas.' });
  return numbers.some((number) => CREDENTIALS.has(number)) ? 'honeypot_credential' : 'honeypot_scan';
}

function scoreOf({ view, at }: Exchange, ip: string): number {
  const parsed = parseAddress(ip);
  const text = parsed.status === 'ok' ? lookupIp(view!, parsed.address, at) : undefined;
  return text === undefined ? 0 : (JSON.parse(text) as IPRisk).risk.score;
}

/** Uses AbuseIPDB's names for facts of a verdict and omits facts that Pulse does not know. */
const checkDocument = ({ ip, risk, network, geo, evidence_state, meta }: IPRisk) => ({
  ipAddress: ip,
  isPublic: true,
  ipVersion: ip.includes(':') ? 6 : 4,
  ...(meta.override === true && { isWhitelisted: risk.score <= 1 }),
  abuseConfidenceScore: risk.score,
  ...(geo?.country !== undefined && { countryCode: geo.country }),
  ...(network?.usage_type !== undefined && { usageType: network.usage_type }),
  level: risk.level,
  evidenceState: evidence_state,
  ...(risk.signals !== undefined && { signals: risk.signals }),
});

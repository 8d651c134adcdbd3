import type { FastifyReply } from 'fastify';
import type { ErrorCode } from '../../../../contract/errors.ts';
import type { QuotaId, WindowState } from '../../../../core/quota/quota.ts';
import {
  isRefusal,
  SANDBOX_MOMENT,
  type SandboxRefusalRow,
  type SandboxVerdictRow,
} from '../../../../core/sandbox/sandbox-addresses.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, unixMs } from '../../../../core/units.ts';
import { isoTime } from '../../../../service/iso-time.ts';
import { type PulseText, windowFrom } from '../../../../service/lookup/lookup-pulse.ts';
import { lookupSandbox, lookupSandboxPulse, sandboxRow, sandboxTable } from '../../../../service/lookup/sandbox.ts';
import { Problem } from '../../../../service/problem.ts';
import { answerProblem } from '../../answer/answer-problem.ts';
import { JSON_TYPE } from '../../answer/reply-headers.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpServices, Log } from '../../services.ts';
import type { HttpPlugin } from '../../step.ts';
import { chargeProblem } from '../../steps/charge.ts';

/** GET /sandbox and lookups below it give fixed answers by the code of the real ones (decisions 10.8). */
export const sandboxRoutes: HttpPlugin = async (app, { services }) => {
  const table = JSON.stringify(await sandboxTable());
  app.get('/sandbox', (_request, reply) =>
    reply.type(JSON_TYPE).header('Cache-Control', 'public, max-age=3600').send(table),
  );
  app.get('/sandbox/v1/ip/:ip', ({ exchange }, reply) =>
    answer('basic', exchange, reply, services, () => lookupSandbox(exchange.address!)),
  );
  app.get('/sandbox/pulse/v1/ip/:ip', ({ exchange }, reply) =>
    answer('professional', exchange, reply, services, () => lookupSandboxPulse(exchange.address!, exchange.moment)),
  );
};

/** A caller without an account finds these counters after the first lookup of a day and a minute. */
const MINUTE: WindowState = {
  limit: 60,
  remaining: 59,
  resetsAt: unixMs(Math.ceil(SANDBOX_MOMENT / MINUTE_MS) * MINUTE_MS),
};
const DAY: WindowState = {
  limit: 1000,
  remaining: 999,
  resetsAt: unixMs(Math.ceil((SANDBOX_MOMENT + 8 * HOUR_MS) / DAY_MS) * DAY_MS - 8 * HOUR_MS),
};

async function answer(
  endpoint: 'basic' | 'professional',
  exchange: Exchange,
  reply: FastifyReply,
  services: HttpServices,
  lookup: () => PulseText | Promise<PulseText>,
): Promise<string> {
  if (exchange.fault !== undefined) throw exchange.fault;
  const row = sandboxRow(exchange.address!);
  if (isRefused(row, endpoint)) return refuse(row.code, exchange, reply, services);
  const { json, degraded } = await lookup();
  exchange.minute = MINUTE;
  exchange.day = DAY;
  if (degraded) reply.header('X-Pulse-Degraded', '1');
  reply.type(JSON_TYPE);
  return json;
}

const isRefused = (
  row: SandboxVerdictRow | SandboxRefusalRow,
  endpoint: 'basic' | 'professional',
): row is SandboxRefusalRow => isRefusal(row) && (row.only ?? endpoint) === endpoint;

/** A requested refusal is not a fault, so it stays out of the log. */
const UNLOGGED: Log = { error() {}, warn() {}, info() {}, debug() {} };

function refuse(code: ErrorCode, exchange: Exchange, reply: FastifyReply, services: HttpServices): string {
  const { status, headers, body } = answerProblem(problemOf(code, exchange, services), exchange, UNLOGGED);
  reply.code(status).type(JSON_TYPE);
  for (let i = 0; i < headers.length; i += 2) reply.header(String(headers[i]), headers[i + 1]);
  return body;
}

const DAY_OF: Partial<Record<ErrorCode, QuotaId>> = {
  quota_exceeded_anon: 'ip:sandbox',
  quota_exceeded: 'account:sandbox',
  key_quota_exceeded: 'key:sandbox/sandbox',
  quota_exceeded_ai_agent: 'agent:sandbox',
};

function problemOf(code: ErrorCode, exchange: Exchange, services: HttpServices): Problem {
  const day = DAY_OF[code];
  if (code === 'rate_limited' || day !== undefined) return usedUp(day, exchange, services);
  if (code === 'not_found') return new Problem(code, { message: 'No record for this address.' });
  if (code === 'at_out_of_window')
    return new Problem(code, { extras: { window_from: isoTime(windowFrom(SANDBOX_MOMENT, undefined, unixMs(0))) } });
  return new Problem(code);
}

function usedUp(refusedBy: QuotaId | undefined, exchange: Exchange, services: HttpServices): Problem {
  exchange.minute = refusedBy === undefined ? { ...MINUTE, remaining: 0 } : MINUTE;
  exchange.day = refusedBy === undefined ? undefined : { ...DAY, remaining: 0 };
  const { minute, day } = exchange;
  const result = {
    ok: false,
    refusedBy: refusedBy ?? 'ip:sandbox',
    minute,
    ...(day !== undefined && { day }),
  } as const;
  return chargeProblem(services, { ...result, window: refusedBy === undefined ? 'minute' : 'day' }, SANDBOX_MOMENT);
}

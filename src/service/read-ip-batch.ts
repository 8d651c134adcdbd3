import { IP_BATCH_MAX } from '../contract/ip-batch.ts';
import { parseRfc3339 } from '../core/evidence/parse-rfc3339.ts';
import { type ParsedAddress, parseAddress } from '../core/ip/parse-address.ts';
import type { UnixMs } from '../core/units.ts';
import { Problem } from './problem.ts';

/** A body as it was sent: a JSON document, or text with one address a line. */
export interface IpBatchBody {
  readonly form: 'json' | 'lines';
  readonly bytes: Buffer;
}

/** Addresses asked about in one request. */
export interface IpBatch {
  /** As sent, in order. */
  readonly inputs: readonly string[];
  /** What each of them is. */
  readonly parsed: readonly ParsedAddress[];
  /** How many of them can be looked up. */
  readonly readable: number;
  /** The moment asked about with `at`; undefined: now. */
  readonly moment: UnixMs | undefined;
}

/** What a body may hold besides addresses. */
export interface IpBatchRules {
  readonly takesMoment: boolean;
  /** No moment is later. */
  readonly now: UnixMs;
}

/**
 * Reads the body of a batch. Addresses that cannot be looked up are answered one by one; everything else that is wrong refuses the batch.
 * @throws Problem bad_request, payload_too_large, invalid_time
 */
export function readIpBatch(body: IpBatchBody | undefined, rules: IpBatchRules): IpBatch {
  if (body === undefined) throw misshapen();
  const { inputs, at } = body.form === 'lines' ? { inputs: linesOf(body.bytes), at: undefined } : membersOf(body.bytes);
  if (inputs.length > IP_BATCH_MAX) throw new Problem('payload_too_large', { message: `A batch holds at most ${IP_BATCH_MAX} addresses.` });
  if (inputs.length === 0) throw new Problem('bad_request', { message: 'Send at least one address.' });
  const parsed = inputs.map(parseAddress);
  const readable = parsed.reduce((sum, { status }) => sum + (status === 'ok' ? 1 : 0), 0);
  return { inputs, parsed, readable, moment: at === undefined ? undefined : momentOf(at, rules) };
}

/** Lines in order; a line may end with CR LF, and empty ones are skipped. */
const linesOf = (bytes: Buffer): readonly string[] =>
  bytes
    .toString()
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    .filter((line) => line !== '');

/** @throws Problem bad_request */
function membersOf(bytes: Buffer): { readonly inputs: readonly string[]; readonly at: unknown } {
  const body = jsonOf(bytes);
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'ips')) throw misshapen();
  const { ips, at } = body as { readonly ips: unknown; readonly at?: unknown };
  if (!Array.isArray(ips)) throw misshapen();
  if (ips.length <= IP_BATCH_MAX && !ips.every((ip) => typeof ip === 'string'))
    throw new Problem('bad_request', { message: 'Every item of "ips" must be a string.' });
  return { inputs: ips, at: Object.hasOwn(body, 'at') ? at : undefined };
}

/** The engine's message would quote the body. @throws Problem bad_request */
function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw misshapen();
  }
}

const misshapen = (): Problem =>
  new Problem('bad_request', { message: 'The body must be a JSON object with "ips", an array of strings, or text/plain with one address a line.' });

/** @throws Problem bad_request, invalid_time */
function momentOf(at: unknown, { takesMoment, now }: IpBatchRules): UnixMs {
  if (!takesMoment) throw new Problem('bad_request', { message: 'at belongs to POST /pulse/v1/ip/batch; this endpoint answers for now.' });
  const moment = typeof at === 'string' ? parseRfc3339(at) : undefined;
  if (moment === undefined || moment > now) throw new Problem('invalid_time', { message: 'at must be an RFC 3339 date-time that is not in the future.' });
  return moment;
}

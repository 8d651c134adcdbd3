import { IP_BATCH_MAX } from '../../contract/ip-batch.ts';
import { parseRfc3339 } from '../../core/evidence/parse-rfc3339.ts';
import { AddressColumns } from '../../core/ip/address-columns.ts';
import type { UnixMs } from '../../core/units.ts';
import { Problem } from '../problem.ts';

export interface IpBatchBody {
  readonly form: 'json' | 'lines';
  readonly bytes: Buffer;
}

export interface IpBatch {
  readonly addresses: AddressColumns;
  readonly bytes: number;
  readonly inputAt: (i: number) => string;
  readonly moment: UnixMs | undefined;
}

interface IpBatchRules {
  readonly takesMoment: boolean;
  readonly now: UnixMs;
}

/** Reads the body of a batch. Bad addresses become errors of their items; other faults refuse the batch. */
export function readIpBatch(body: IpBatchBody | undefined, rules: IpBatchRules): IpBatch {
  if (body === undefined) throw misshapen();
  const bytes = withoutMark(body.bytes);
  if (body.form === 'lines' && isJsonText(bytes))
    throw new Problem('unsupported_media_type', { message: JSON_AS_TEXT });
  const texts = body.form === 'lines' ? scanIpLines(bytes, IP_BATCH_MAX + 1) : scanIpList(bytes, IP_BATCH_MAX);
  if (texts !== undefined) return batchOfTexts(bytes, texts);
  const { ips, at } = membersOf(bytes);
  const batch = { ...batchOfInputs(ips), bytes: bytes.length };
  return at === undefined ? batch : { ...batch, moment: momentOf(at, rules) };
}

/** Editors of Windows begin a text with a byte order mark. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

const JSON_AS_TEXT = 'The body is JSON: send it as Content-Type: application/json.';

/** Clients that set no media type send JSON as text; read as lines, it would be a batch of faults. */
const isJsonText = (bytes: Buffer): boolean => /^\s*[{[]\s*["\]}]/.test(bytes.toString('latin1', 0, 256));

function batchOfTexts(bytes: Buffer, { addresses, starts, ends }: IpTexts): IpBatch {
  checkCount(addresses.count);
  return {
    addresses,
    bytes: bytes.length,
    inputAt: (i) => bytes.toString('utf8', starts[i]!, ends[i]!),
    moment: undefined,
  };
}

export function batchOfInputs(inputs: readonly string[]): IpBatch {
  checkCount(inputs.length);
  const addresses = new AddressColumns(inputs.length);
  let bytes = 0;
  for (const input of inputs) {
    addresses.addText(input);
    bytes += Buffer.byteLength(input);
  }
  return { addresses, bytes, inputAt: (i) => inputs[i]!, moment: undefined };
}

function checkCount(count: number): void {
  if (count > IP_BATCH_MAX)
    throw new Problem('payload_too_large', { message: `A batch holds at most ${IP_BATCH_MAX} addresses.` });
  if (count === 0) throw new Problem('bad_request', { message: 'Send at least one address.' });
}

function membersOf(bytes: Buffer): { readonly ips: readonly string[]; readonly at: unknown } {
  const body = jsonOf(bytes);
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'ips')) throw misshapen();
  const { ips, at } = body as { readonly ips: unknown; readonly at?: unknown };
  if (!Array.isArray(ips)) throw misshapen();
  if (ips.length <= IP_BATCH_MAX && !ips.every((ip) => typeof ip === 'string'))
    throw new Problem('bad_request', { message: 'Every item of "ips" must be a string.' });
  return { ips, at: Object.hasOwn(body, 'at') ? at : undefined };
}

/** The engine's own message would quote the body. */
function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw misshapen();
  }
}

const misshapen = (): Problem =>
  new Problem('bad_request', {
    message: 'The body must be a JSON object with "ips", an array of strings, or text/plain with one address a line.',
  });

function momentOf(at: unknown, { takesMoment, now }: IpBatchRules): UnixMs {
  if (!takesMoment)
    throw new Problem('bad_request', {
      message: 'at belongs to POST /pulse/v1/ip/batch; this endpoint answers for now.',
    });
  const moment = typeof at === 'string' ? parseRfc3339(at) : undefined;
  if (moment === undefined || moment > now)
    throw new Problem('invalid_time', { message: 'at must be an RFC 3339 date-time that is not in the future.' });
  return moment;
}

interface IpTexts {
  readonly addresses: AddressColumns;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const LINE_FEED = 10;
const RETURN = 13;
const NAME = Buffer.from('"ips"');

/**
 * Finds the texts of `{"ips": ["…", …]}` without making strings. It reads bodies of this one member whose
 * texts are ASCII without escapes, as nearly all are.
 * @param max most texts
 * @returns undefined for any other body, sound or not, which JSON.parse must read
 */
function scanIpList(body: Uint8Array, max: number): IpTexts | undefined {
  const addresses = new AddressColumns(max);
  const [starts, ends] = [new Uint32Array(max), new Uint32Array(max)];
  let at = indexAfter(body, 0, OPEN_OBJECT);
  at = skipSpace(body, at);
  for (let i = 0; i < NAME.length; i++) if (body[at++] !== NAME[i]) return undefined;
  at = indexAfter(body, at, COLON);
  at = indexAfter(body, at, OPEN_LIST);
  for (;;) {
    const { count } = addresses;
    if (count === max) return undefined;
    const start = indexAfter(body, at, QUOTE);
    const end = addText(addresses, body, start);
    if (end < 0) return undefined;
    starts[count] = start;
    ends[count] = end;
    at = skipSpace(body, end + 1);
    if (body[at] === CLOSE_LIST) break;
    if (body[at++] !== COMMA) return undefined;
  }
  at = skipSpace(body, indexAfter(body, at + 1, CLOSE_OBJECT));
  return at === body.length ? { addresses, starts, ends } : undefined;
}

function addText(addresses: AddressColumns, body: Uint8Array, start: number): number {
  const quick = addresses.addIpv4Until(QUOTE, body, start);
  if (quick >= 0) return quick;
  const end = textEnd(body, start);
  if (end >= 0) addresses.addBytes(body, start, end);
  return end;
}

function indexAfter(body: Uint8Array, from: number, byte: number): number {
  const at = skipSpace(body, from);
  return body[at] === byte ? at + 1 : Number.MAX_SAFE_INTEGER;
}

function skipSpace(body: Uint8Array, from: number): number {
  let at = from;
  for (let byte = body[at]; byte === 32 || byte === LINE_FEED || byte === RETURN || byte === 9; byte = body[at]) at++;
  return at;
}

function textEnd(body: Uint8Array, from: number): number {
  for (let at = from; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === QUOTE) return at;
    if (byte < 32 || byte > 126 || byte === BACKSLASH) return -1;
  }
  return -1;
}

/** Finds the lines of a body, which end with LF, CR LF or CR; empty lines are skipped. @param max most lines */
function scanIpLines(body: Uint8Array, max: number): IpTexts {
  const addresses = new AddressColumns(max);
  const [starts, ends] = [new Uint32Array(max), new Uint32Array(max)];
  const lineEnd = body.includes(LINE_FEED) ? LINE_FEED : RETURN;
  for (let from = 0; from < body.length && addresses.count < max; ) {
    const found = body.indexOf(lineEnd, from);
    const end = found < 0 ? body.length : found;
    const last = end > from && body[end - 1] === RETURN ? end - 1 : end;
    if (last > from) {
      starts[addresses.count] = from;
      ends[addresses.count] = last;
      addresses.addBytes(body, from, last);
    }
    from = end + 1;
  }
  return { addresses, starts, ends };
}

import { IP_BATCH_MAX } from '../../contract/ip-batch.ts';
import { parseRfc3339 } from '../../core/evidence/parse-rfc3339.ts';
import { AddressColumns } from '../../core/ip/address-columns.ts';
import type { UnixMs } from '../../core/units.ts';
import { Problem } from '../problem.ts';
import { type IpTexts, scanIpLines, scanIpList } from './ip-texts.ts';

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

export interface IpBatchRules {
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

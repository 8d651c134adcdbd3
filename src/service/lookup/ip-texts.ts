import { AddressColumns } from '../../core/ip/address-columns.ts';

export interface IpTexts {
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
export function scanIpList(body: Uint8Array, max: number): IpTexts | undefined {
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
export function scanIpLines(body: Uint8Array, max: number): IpTexts {
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

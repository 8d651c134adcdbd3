import type { Prefix } from '../ip/address.ts';
import { formatPrefix } from '../ip/format-address.ts';
import { prefixOf } from '../ip/prefix.ts';
import type { AsnsFormat, LinesFormat } from './feed.ts';
import { isPort, type RowBuilder } from './row-builder.ts';

const NEWLINE = 10;
const BRACKET = 91;
const BRACKET_END = 93;
const LAST_CONTROL_OR_SPACE = 32;

const isDelimiter = (byte: number): boolean =>
  byte <= LAST_CONTROL_OR_SPACE || byte === 44 || byte === 59 || byte === 35 || byte === 34;

const skipSpace = (bytes: Uint8Array, from: number, to: number): number => {
  let at = from;
  while (at < to && bytes[at]! <= LAST_CONTROL_OR_SPACE) at++;
  return at;
};

const isComment = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 35 || bytes[at] === 59 || bytes[at] === 33 || (bytes[at] === 47 && bytes[at + 1] === 47);

const skipScheme = (bytes: Uint8Array, from: number, to: number): number => {
  const limit = Math.min(to, from + 10);
  for (let at = from; at < limit; at++) {
    const byte = bytes[at]!;
    if (byte === 58) return bytes[at + 1] === 47 && bytes[at + 2] === 47 ? at + 3 : from;
    const letter = (byte | 32) >= 97 && (byte | 32) <= 122;
    if (!letter && (byte < 48 || byte > 57 || at === from)) return from;
  }
  return from;
};

const hostEnd = (bytes: Uint8Array, from: number, to: number): number => {
  let at = from;
  while (at < to && bytes[at] !== 47) at++;
  return at;
};

const secondColumn = (bytes: Uint8Array, from: number, to: number): number => {
  let at = from;
  while (at < to && isDelimiter(bytes[at]!)) at++;
  let value = Number.NaN;
  for (; at < to; at++) {
    const digit = bytes[at]! - 48;
    if (digit < 0 || digit > 9) break;
    value = (Number.isNaN(value) ? 0 : value) * 10 + digit;
  }
  return value;
};

/** Behind a blank stand `- 20`, `/24` or a mask: they belong to the address, and lists of this form have none. */
function goesOn(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  while (at < to && isBlank(bytes[at]!)) at++;
  const isSign = bytes[at] === 45 || bytes[at] === 47;
  if (!isSign)
    return at > from && bytes[at] === 50 && bytes[at + 1] === 53 && bytes[at + 2] === 53 && bytes[at + 3] === 46;
  for (at++; at < to && isBlank(bytes[at]!); at++);
  return at < to && bytes[at]! >= 48 && bytes[at]! <= 57;
}

const isBlank = (byte: number): boolean => byte === 32 || byte === 9;

function scanLine(bytes: Uint8Array, start: number, lineEnd: number, format: LinesFormat, rows: RowBuilder): boolean {
  const { scanner } = rows;
  const from = format.ports === true ? skipScheme(bytes, start, lineEnd) : start;
  const to = from > start ? hostEnd(bytes, from, lineEnd) : lineEnd;
  const bracket = bytes[from] === BRACKET ? 1 : 0;
  if (!scanner.scan(bytes, from + bracket, to)) return false;
  let end = scanner.end;
  if (bracket === 1) {
    if (bytes[end] !== BRACKET_END) return false;
    end++;
  }
  if (end === to) return true;
  if (isDelimiter(bytes[end]!)) return !goesOn(bytes, end, to);
  if (format.ports !== true || bytes[end] !== 58) return false;
  let portEnd = end + 1;
  while (portEnd < to && !isDelimiter(bytes[portEnd]!) && bytes[portEnd] !== 47) portEnd++;
  return isPort(bytes, end, portEnd);
}

/**
 * Reads plain lists: `ip`, `cidr`, `ip:port`, `scheme://ip:port/path`, with comments and anything after a
 * delimiter. It passes over the bytes once.
 */
export function parseLines(bytes: Uint8Array, format: LinesFormat, rows: RowBuilder): void {
  const length = bytes.length;
  const networks = format.networksOf && new NetworkCount(format.networksOf);
  for (let line = 0; line < length; ) {
    let to = bytes.indexOf(NEWLINE, line);
    if (to < 0) to = length;
    const start = skipSpace(bytes, line, to);
    line = to + 1;
    if (start === to || isComment(bytes, start)) continue;
    if (!scanLine(bytes, start, to, format, rows)) {
      if (isColumnTitle(bytes, start)) continue;
      rows.refuse(format.mixed === true ? 'other_indicator' : 'not_an_address');
    } else if (format.minCount !== undefined && !(secondColumn(bytes, rows.scanner.end, to) >= format.minCount))
      rows.refuse('below_count');
    else if (networks === undefined) rows.addScanned();
    else networks.add(rows.scanner);
  }
  for (const network of networks?.texts() ?? []) rows.addText(network);
}

const isColumnTitle = (bytes: Uint8Array, at: number): boolean =>
  (bytes[at]! | 32) === 105 && (bytes[at + 1]! | 32) === 112;

const MAX_ASN = 4_294_967_294;

/** Reads lists of AS numbers, `AS64500 # name` or `64500,"name"`; a header row is passed over. */
export function parseAsns(bytes: Uint8Array, _format: AsnsFormat, rows: RowBuilder): void {
  const length = bytes.length;
  for (let line = 0; line < length; ) {
    let to = bytes.indexOf(NEWLINE, line);
    if (to < 0) to = length;
    let at = skipSpace(bytes, line, to);
    const isFirst = line === 0;
    line = to + 1;
    if (at === to || isComment(bytes, at)) continue;
    if (bytes[at] === 34) at++;
    if ((bytes[at]! | 32) === 97 && (bytes[at + 1]! | 32) === 115) at += 2;
    const start = at;
    let asn = 0;
    for (; at < to && bytes[at]! >= 48 && bytes[at]! <= 57; at++) asn = asn * 10 + bytes[at]! - 48;
    const delimited = at === to || isDelimiter(bytes[at]!);
    if (at > start && delimited && asn >= 1 && asn <= MAX_ASN) rows.addAsn(asn);
    else if (!isFirst) rows.refuse('not_an_asn');
  }
}

class NetworkCount {
  readonly #bits: number;
  readonly #least: number;
  readonly #share: number;
  readonly #addresses = new Set<number>();

  constructor({ bits, least, share }: NonNullable<LinesFormat['networksOf']>) {
    this.#bits = bits;
    this.#least = least;
    this.#share = share;
  }

  add({ family, bits, w0 }: Pick<Prefix, 'family' | 'bits' | 'w0'>): void {
    if (family === 4 && bits === 32) this.#addresses.add(w0);
  }

  *texts(): Generator<string> {
    const counts = new Map<number, number>();
    for (const w0 of this.#addresses) {
      const { w0: network } = prefixOf({ family: 4, w0, w1: 0, w2: 0, w3: 0 }, this.#bits);
      counts.set(network, (counts.get(network) ?? 0) + 1);
    }
    const least = Math.max(this.#least, this.#share * this.#addresses.size);
    for (const [w0, count] of counts)
      if (count >= least) yield formatPrefix({ family: 4, w0, w1: 0, w2: 0, w3: 0, bits: this.#bits });
  }
}

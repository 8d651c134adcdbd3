import { type ParsedAddress, parseAddress } from './parse-address.ts';

const PERCENT = 37;

/** The segment is percent-decoded once, then read strictly (decisions 4.1). */
export function parsePathAddress(segment: string): ParsedAddress {
  const at = segment.indexOf('%');
  return at < 0 ? parseAddress(segment) : parseAddress(decodeOnce(segment));
}

function decodeOnce(segment: string): string {
  let out = '';
  for (let i = 0; i < segment.length; i++) {
    if (segment.charCodeAt(i) !== PERCENT) {
      out += segment[i];
      continue;
    }
    const byte = hex(segment.charCodeAt(i + 1)) * 16 + hex(segment.charCodeAt(i + 2));
    if (!(byte >= 0 && byte < 0x80)) return '';
    out += String.fromCharCode(byte);
    i += 2;
  }
  return out;
}

function hex(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 0x20;
  return lower >= 97 && lower <= 102 ? lower - 87 : Number.NaN;
}

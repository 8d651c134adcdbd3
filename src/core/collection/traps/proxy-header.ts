import { type Address, carriesIpv4 } from '../../ip/address.ts';
import { parseAnyAddress } from '../../ip/parse-address.ts';
import { readWireNumber } from './trap.ts';

export type ProxyHeader =
  | { readonly status: 'more' }
  | { readonly status: 'malformed' }
  /** @property client undefined if the load balancer connects for itself or does not know the client */
  | { readonly status: 'read'; readonly client: Address | undefined; readonly length: number };

const MORE: ProxyHeader = Object.freeze({ status: 'more' });
const MALFORMED: ProxyHeader = Object.freeze({ status: 'malformed' });

const LINE_MAX = 107;
const PREAMBLE = '\r\n\r\n\0\r\nQUIT\n';
const FIXED = 16;
const VARIABLE_MAX = 2048;

/**
 * Reads HAProxy's PROXY protocol, versions 1 and 2, which must be the first bytes. @param text bytes as code
 * units 0 to 255
 */
export function readProxyHeader(text: string): ProxyHeader {
  const known = text.slice(0, PREAMBLE.length);
  if (text.startsWith('PROXY ')) return readLine(text);
  if (known === PREAMBLE) return readBinary(text);
  return PREAMBLE.startsWith(known) || 'PROXY '.startsWith(text) ? MORE : MALFORMED;
}

function readLine(text: string): ProxyHeader {
  const end = text.indexOf('\r\n');
  if (end < 0) return text.length >= LINE_MAX ? MALFORMED : MORE;
  if (end + 2 > LINE_MAX) return MALFORMED;
  const length = end + 2;
  const [, family, source, , port] = text.slice(0, end).split(' ');
  if (family === 'UNKNOWN') return { status: 'read', client: undefined, length };
  const client =
    (family === 'TCP4' || family === 'TCP6') && port !== undefined ? parseAnyAddress(source ?? '') : undefined;
  return client === undefined ? MALFORMED : { status: 'read', client, length };
}

function readBinary(text: string): ProxyHeader {
  if (text.length < FIXED) return MORE;
  const [command, family, variable] = [text.charCodeAt(12), text.charCodeAt(13), readWireNumber(text, 14, 2)];
  if (command >>> 4 !== 2 || variable > VARIABLE_MAX) return MALFORMED;
  const length = FIXED + variable;
  if (text.length < length) return MORE;
  // LOCAL, or a family other than TCP over IPv4 or IPv6.
  if ((command & 15) !== 1 || (family !== 0x11 && family !== 0x21))
    return { status: 'read', client: undefined, length };
  const size = family === 0x11 ? 4 : 16;
  if (variable < 2 * size + 4) return MALFORMED;
  return { status: 'read', client: addressOf(text.slice(FIXED, FIXED + size)), length };
}

function addressOf(bytes: string): Address {
  const word = (at: number): number => readWireNumber(bytes, at, 4);
  if (bytes.length === 4) return { family: 4, w0: word(0), w1: 0, w2: 0, w3: 0 };
  if (carriesIpv4(word(0), word(4), word(8))) return { family: 4, w0: word(12), w1: 0, w2: 0, w3: 0 };
  return { family: 6, w0: word(0), w1: word(4), w2: word(8), w3: word(12) };
}

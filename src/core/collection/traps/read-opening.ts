import { parseAnyAddress } from '../../ip/parse-address.ts';
import { findHeadEnd, HEAD_MAX, type HttpHead, REQUEST_LINE, readHttpHead } from './http-trap.ts';
import { readWireNumber } from './trap.ts';

/**
 * Says whether a page of another site can make a browser send a client's first bytes.
 * - `more`: not known yet.
 * - `other`: no browser begins like this.
 * - `request`: HTTP that is not from a browser, or that the visitor sent by hand.
 * - `driven`: a page may have caused it, in a browser whose owner does not know.
 */
type Opening = 'more' | 'other' | 'request' | 'driven';

/**
 * `https:`, `wss:` and `turns:` begin with a ClientHello in a TLS record, or with an alert if the server
 * greeted first. WebRTC also has an SSL 2 ClientHello. None of them shows which program made it.
 */
const HELLOS = ['\x16\x03', '\x15\x03', '\x80\x46\x01\x03'];
/**
 * WebRTC sends STUN's magic cookie (RFC 8489) over TCP to any address. It follows type and length; in ICE
 * (RFC 4571) a two-byte length comes first.
 */
const STUN_COOKIE = '\x21\x12\xa4\x42';
const STUN_COOKIE_AT = [4, 6];

const LINE_BEGINNING = /^[\w!#$%&'*+\-.^`|~]*(?: \S*(?: [HTP/\d.]{0,8})?)?$/;

export function readOpening(bytes: string): Opening {
  if (HELLOS.some((hello) => bytes.startsWith(hello))) return 'driven';
  if (HELLOS.some((hello) => hello.startsWith(bytes))) return 'more';
  if (bytes < '\x04') return readStun(bytes);
  const lineEnd = bytes.search(/[\r\n]/);
  if (lineEnd < 0) return !LINE_BEGINNING.test(bytes) ? 'other' : bytes.length > HEAD_MAX ? 'driven' : 'more';
  if (!REQUEST_LINE.test(bytes.slice(0, lineEnd))) return 'other';
  const end = findHeadEnd(bytes);
  if (end === undefined) return bytes.length > HEAD_MAX ? 'driven' : 'more';
  const head = readHttpHead(end.head);
  return head === undefined ? 'other' : mayBeDriven(head) ? 'driven' : 'request';
}

/** A client that left while `readOpening` returned `more` may have been a browser whose request was cut off. */
export const isCutRequest = (bytes: string): boolean => /^\S+ \//.test(bytes);

function readStun(bytes: string): Opening {
  if (STUN_COOKIE_AT.some((at) => bytes.startsWith(STUN_COOKIE, at))) return 'driven';
  return STUN_COOKIE_AT.some((at) => STUN_COOKIE.startsWith(bytes.slice(at))) ? 'more' : 'other';
}

/**
 * A page can suppress `Origin` and `Referer` of its loads, and `Sec-Fetch-Site` is not sent over plain HTTP.
 * No browser omits its languages; a page can only empty them.
 */
const BROWSER_HEADER = /^(?:accept-language|origin|referer|sec-.*|access-control-request-.*)$/i;

/**
 * Returns whether a page of another site may have caused the request. A browser's request counts only as the
 * POST of a form on the sensor's own page. `Host` is then an address, unlike after DNS rebinding, and each
 * header that names a site names this one. A page by itself loads or opens with GET.
 */
function mayBeDriven(request: HttpHead): boolean {
  const { method, headers } = request;
  if (!headers.some(([name]) => BROWSER_HEADER.test(name))) return false;
  const valuesOf = (wanted: string): readonly string[] =>
    headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value.toLowerCase()] : []));
  const [host] = valuesOf('host');
  const sites = [...valuesOf('origin'), ...valuesOf('referer')].map((url) => /^https?:\/\/([^/?#]*)/.exec(url)?.[1]);
  const isOwn = host !== undefined && isAddress(host) && sites.length > 0 && sites.every((site) => site === host);
  return method !== 'POST' || !isOwn || valuesOf('sec-fetch-site').some((site) => site !== 'same-origin');
}

const isAddress = (host: string): boolean =>
  parseAnyAddress(host.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1')) !== undefined;

export const SSH_HEAD_MAX = 4096;

const KEX_INIT = 20;
/**
 * The lists follow packet length, padding length, message number and cookie: key exchange, host keys, and ciphers, message codes and compression for each
 * direction (RFC 4253 section 7.1).
 */
const LISTS_AT = 4 + 1 + 1 + 16;
const LISTS = 8;

/**
 * Returns clear-text marks of an SSH client's make: its identification and the algorithms it offers, in its
 * order (the idea of HASSH).
 * @param beginning the client's first bytes as code units 0 to 255
 * @returns undefined while they are incomplete, or if they are not SSH
 */
export function sshClientTrait(beginning: string): string | undefined {
  const line = /^(SSH-[^\r\n]{1,250})\r?\n/.exec(beginning);
  if (line === null) return undefined;
  const packet = beginning.slice(line[0].length);
  if (packet.length < LISTS_AT || packet.charCodeAt(5) !== KEX_INIT) return undefined;
  const lists: string[] = [];
  let at = LISTS_AT;
  while (lists.length < LISTS) {
    const size = readWireNumber(packet, at, 4);
    if (at + 4 + size > packet.length) return undefined;
    lists.push(packet.slice(at + 4, at + 4 + size));
    at += 4 + size;
  }
  return `${line[1]} ${lists.join(';')}`;
}

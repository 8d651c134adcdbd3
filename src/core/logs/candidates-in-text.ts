import type { SeenAddress, SummaryDoubt } from '../../contract/traffic-summary.ts';
import type { Address } from '../ip/address.ts';
import { addressSpans, plainText } from '../ip/find-addresses.ts';
import { formatAddress } from '../ip/format-address.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { compareAddresses } from '../ip/prefix.ts';
import { isReserved } from '../ip/special-purpose.ts';
import { isRecord, parseJson } from '../kit/json.ts';
import { CLIENT_RANK, type ClientRank, clientRank } from './client-rank.ts';
import { lineHeader } from './line-header.ts';
import { chooseAddresses } from './line-reader.ts';
import { LOG_FORMATS } from './log-formats.ts';
import { nearEnds } from './near-ends.ts';

export interface Candidate {
  readonly address: Address;
  /** The path of a member, a key, the word before the address, or the name of the format that places it. */
  readonly name: string;
  readonly rank: ClientRank;
  /** The name belongs to a member or key, so --field can name it. */
  readonly isKey?: true;
}

const LINE_MAX = 64 * 1024;

const COLOUR = /\p{Cc}\[[\d;]*m/gu;

/**
 * Finds the addresses of a line of text, best first, equal ranks in their order. A format of the table yields
 * the client alone, or nothing where it says that the line has none. A line of another program of syslog is
 * about a client only where a name, a login or a ban says so.
 */
export function candidatesInText(line: string): readonly Candidate[] {
  const text = plainText(line.slice(0, LINE_MAX).replace(COLOUR, ''));
  const header = lineHeader(text);
  const message = header === undefined ? text : text.slice(header.end).trimStart();
  const byFormat = formatCandidate(message, header?.program ?? '');
  if (typeof byFormat === 'object') return byFormat;
  const inside = embeddedObject(message);
  const inObject = inside === undefined ? [] : candidatesIn(inside);
  let named = inObject.length > 0 ? inObject : namedInText(message);
  const isOther = byFormat === undefined && PROGRAM.test(header?.program ?? '') && !LOGIN.test(message);
  if (isOther && named !== inObject)
    named = named.filter(({ rank, isKey }) => rank < (isKey ? CLIENT_RANK.unknown : CLIENT_RANK.address));
  if (named.length === 0 && header !== undefined) named = namedInText(header.data).filter(({ isKey }) => isKey);
  if (named.length > 0 || header?.isCertain !== false) return named;
  return addressSpans(plainText(text.slice(0, header.end))).map(({ address }) => ({
    address,
    name: 'host',
    rank: CLIENT_RANK.other,
  }));
}

/** A log level does not name a program. */
const PROGRAM = /^(?!(?:trace|debug|info|notice|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal)$)./i;
const LOGIN =
  /\b(?:auth(?:entication)?\b|auth-\w|log(?:ged )?-?[io]n\b|passwords?\b|credentials?\b|accept\b|new connection|block(?:ed|ing)\b|bann(?:ed|ing)\b|denied\b)|[\da-f]\]?(?::\d{1,5})?[\s"|,-]{1,8}(?:GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH) \//i;

/** @returns `open` for a line of a format that has other lines too, and this is one of them */
function formatCandidate(message: string, program: string): readonly Candidate[] | 'open' | undefined {
  const text = program === '' ? message : `${program}: ${message}`;
  let open: 'open' | undefined;
  for (const { name, is, client, forwarded, isOpen } of LOG_FORMATS) {
    if (!is.test(text)) continue;
    const address = firstOf(text, client);
    const list =
      address !== undefined && forwarded !== undefined && isReserved(address) ? firstOf(text, [forwarded]) : undefined;
    const taken = list !== undefined && !isReserved(list) ? list : address;
    if (taken !== undefined) return [{ address: taken, name, rank: CLIENT_RANK.format }];
    if (isOpen !== true) return [];
    open = 'open';
  }
  return open;
}

/**
 * Returns whether the reader knows the form of a line: syslog's header, CEF, LEEF, a format of the table,
 * or `key=value`.
 */
export function isOfFormat(line: string): boolean {
  const header = lineHeader(line);
  if (header?.isCertain === true || EVENT.test(line)) return true;
  return (
    typeof formatCandidate(line.slice(header?.end ?? 0).trimStart(), '') === 'object' ||
    (line.match(PAIR)?.length ?? 0) >= PAIRS_LEAST
  );
}

const EVENT = /\b(?:CEF|LEEF):\s?\d/;
const PAIR = /(?<![^\s,;|"\t])[\w.-]+(?:=|:")[^\s,;|]/g;
const PAIRS_LEAST = 3;

function firstOf(text: string, places: readonly RegExp[]): Address | undefined {
  for (const place of places) {
    const found = place.exec(text)?.groups?.['client'];
    const [address] = found === undefined ? [] : listed(found);
    if (address !== undefined) return address;
  }
  return undefined;
}

function listed(text: string): Address[] {
  const whole = parseAnyAddress(text);
  if (whole !== undefined) return [whole];
  const found = addressSpans(plainText(text)).map(({ address }) => address);
  return chooseAddresses(found, 'first');
}

function embeddedObject(message: string): unknown {
  const from = message.search(/[{[]\s*["{[]/);
  const to = message.search(/[}\]]\s*$/);
  if (from < 0 || to < from) return undefined;
  return parseJson(message.slice(from, to + 1));
}

const KEY = /((?:[A-Z][\w-]* ){0,3}[\p{L}_.@/-][\p{L}\p{N}_.@/-]*)(?:\(\d{1,5}\))?["']?\s?(?:=>?|:|\|)\s?["'[(<{\\]*$/u;
/** In `unknown[9.9.9.9]` and `host.example (9.9.9.9)` the word before names the address. */
const HOST_BEFORE = /(?:[\w.-]*[[(]+|(?<![\w.-])(?!(?:from|by|to|client|with)\s)[\w.-]+\s\(+)["']?$/i;
const WORD = /([\w-]+)[^\w]{0,4}$/;
const ARROW = String.raw`(?:\s*[-=]+>|\s>|\s*\u2192|\s+to\b)\s*`;
const ARROW_BEHIND = new RegExp(
  String.raw`^[^\s<>]*${ARROW}\S*?(?:\d(?:\.\d{1,3}){3}|[\da-f]*:[\da-f]*:|[\w.-]:\d)`,
  'i',
);
const ARROW_BEFORE = /(?:-+>|=+>|\s>|\u2192)\s*[\w-]*[:/]?\s?[[("']*$/;
/** OSSEC and Wazuh name agent and file so: `(web) 10.0.0.5->/var/log/auth.log`, `10.0.0.5->WinEvtLog`. */
const AGENT_BEHIND = /^->(?:\/|[A-Za-z-]+(?:[\s;]|$))/;
const NEXT_OF_LIST = /^\s*(?::\d+)?\s*,\s*"?$/;
const BEFORE = 120;

/** A request, with quotes or without, and all quoted texts behind it are the client's own words. */
const REQUEST = /(?<![^\s=([{,:])"(?:[A-Z]{3,10} |\/)/;
const UNQUOTED_REQUEST =
  /\b(?:GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH|CONNECT|PROPFIND) (?:\/|\*|\w+:)\S*|(?<!\w)\w+\\=\S*/g;
/** A quoted value with blanks or keys is a text, which a client may have written. */
const QUOTED_VALUE = /(?<=[\w.-]=)(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/g;
const ELEMENT = /<(?:\w{1,40}:)?([\w.-]{1,80})(?:\s(?:name=["']([\w.:-]{1,80}))?[^<>]*)?>([^<>]+)<\//gi;
const LIST_OF_ADDRESSES = /^[\s\d.,:a-f%()"'[\]]*$/i;

function withoutRequests(plain: string): string {
  const at = plain.search(REQUEST);
  const text = at < 0 ? plain : plain.slice(0, at) + plain.slice(at).replace(/"[^"]*(?:"|$)/g, ' ');
  return text
    .replace(UNQUOTED_REQUEST, ' ')
    .replace(ELEMENT, (whole, tag: string, name: string = tag, inner: string) =>
      TEXTS.test(name) ? whole : LIST_OF_ADDRESSES.test(inner) ? ` ${name}="${inner}" ` : ' ',
    );
}

function namedInText(message: string): readonly Candidate[] {
  const plain = withoutRequests(plainText(message));
  const outside = namedAt(
    plain.replace(QUOTED_VALUE, (whole, double: string = '', single: string = '') => {
      const value = double + single;
      return /[\s=]/.test(value) && !LIST_OF_ADDRESSES.test(value) ? ' ' : whole;
    }),
  );
  const named = outside.some(({ rank }) => rank <= CLIENT_RANK.remote) ? outside : namedAt(plain);
  const absent = [...plain.matchAll(EMPTY_VALUE)].map(({ 1: name }) => absentRank([name!], ''));
  return nearEnds(withoutAbsent(named, Math.min(...absent)), plain);
}

const EMPTY_VALUE = /(?<![\w.-])([\w.-]{2,60})=(?:""|-)?(?=[\s,;]|$)/g;

function namedAt(plain: string): readonly Candidate[] {
  const found: Candidate[] = [];
  let behind = 0;
  let previous: Candidate | undefined;
  for (const { address, from, to } of addressSpans(plain)) {
    const isNext = previous !== undefined && from - behind <= BEFORE && NEXT_OF_LIST.test(plain.slice(behind, from));
    behind = to;
    if (!isNext) {
      previous = named(address, plain.slice(Math.max(0, from - BEFORE), from), plain.slice(to, to + BEFORE));
      found.push(previous);
    } else if (isReserved(previous!.address) && !isReserved(address)) {
      // The first public address of a list counts; those behind it are proxies.
      previous = { ...previous!, address };
      found[found.length - 1] = previous;
    } else found.push({ ...previous!, address, name: `${previous!.name},` });
  }
  return found;
}

function named(address: Address, before: string, after: string): Candidate {
  if (/\w:\/\/[^\s/"']*$/.test(before)) return { address, name: 'URL', rank: CLIENT_RANK.link };
  if (AGENT_BEHIND.test(after)) return { address, name: 'agent', rank: CLIENT_RANK.other };
  if (ARROW_BEHIND.test(after)) return { address, name: '->', rank: CLIENT_RANK.source };
  if (ARROW_BEFORE.test(before)) return { address, name: '->', rank: CLIENT_RANK.other };
  const name = keyBefore(before);
  if (name !== undefined) return { address, name, rank: rankFor(address, clientRank([name])), isKey: true };
  const word = wordBefore(before);
  return { address, name: word, rank: rankFor(address, rankOf(word)) };
}

/** Finds the shortest name that says something, because a value may stand in front of a key. */
function keyBefore(before: string): string | undefined {
  const match = KEY.exec(before);
  if (match === null) return undefined;
  const words = match[1]!.split(' ');
  for (let from = words.length - 1; from > 0; from--) {
    const name = words.slice(from).join(' ');
    if (isTelling(clientRank([name])) && !NOUNS.test(name)) return name;
  }
  const isValueBefore = /=[\w.-]*$/.test(before.slice(0, match.index) + words[0]!);
  return isValueBefore ? words.at(-1) : match[1];
}

const isTelling = (rank: ClientRank): boolean => rank !== CLIENT_RANK.address && rank !== CLIENT_RANK.unknown;

const NOUN = '(?:ip|ipv[46]|addr|address|host|hostname|tcp|udp)';
const NOUNS = new RegExp(`^${NOUN}(?: ${NOUN})*$`, 'i');
/** In `from host 9.9.9.9` and `to server (ip 8.8.8.8` the word before the noun says whose address it is. */
const OUTER = new RegExp(String.raw`([\w-]+)[\s(]+(?:${NOUN}\b[^\w]{0,3})+$`, 'i');

function wordBefore(before: string): string {
  const outside = before.replace(HOST_BEFORE, '');
  const word = WORD.exec(outside)?.[1] ?? WORD.exec(before)?.[1] ?? '';
  // In `user bob (9.9.9.9` the name is bob.
  if (rankOf(word) === CLIENT_RANK.chosen && outside !== before) return '';
  if (isTelling(rankOf(word))) return word;
  const outer = OUTER.exec(before)?.[1] ?? '';
  return isTelling(rankOf(outer)) && rankOf(outer) !== CLIENT_RANK.chosen ? outer : '';
}

const rankOf = (word: string): ClientRank => (word === '' ? CLIENT_RANK.unknown : clientRank([word]));

/** Without a name that says client, `121.0.0.0` is a version. */
const rankFor = ({ family, w0 }: Address, rank: ClientRank): ClientRank =>
  family === 4 && w0 !== 0 && (w0 & 0xffffff) === 0 && rank >= CLIENT_RANK.address ? CLIENT_RANK.chosen : rank;

const DEPTH_MAX = 12;
export const TEXTS =
  /^(?:log|message|msg|_raw|raw|line|original|textpayload|event|body|data|logmessage|rawmessage|syslog_message|full_message|short_message|description|eventdescription|rawxml|xml|eventdata|details)$/i;

/** Vendors write the client in the second member where the first one is there. */
const VENDORS: readonly (readonly [sign: string, client: string])[] = [
  ['connection-log-type', 'device-ip'],
  ['data.details.request', 'data.ip'],
];

interface Collected {
  readonly found: Candidate[];
  readonly texts: string[];
  /** The best rank of a name that stands for a client's address and has none. */
  absent: number;
}

/** Finds the addresses of a JSON object by their paths; texts count only where no member is an address. */
export function candidatesIn(value: unknown): readonly Candidate[] {
  const into: Collected = { found: [], texts: [], absent: Number.POSITIVE_INFINITY };
  collect(value, [], into);
  const { found, texts, absent } = into;
  const [, client] =
    VENDORS.find(([sign]) => found.some(({ name }) => name.startsWith(sign)) || (isRecord(value) && sign in value)) ??
    [];
  const byVendor = found.find(({ name }) => name === client);
  if (byVendor !== undefined) return [{ ...byVendor, rank: CLIENT_RANK.format }, ...found];
  if (found.some(({ rank }) => rank < CLIENT_RANK.address) || absent < CLIENT_RANK.address) {
    const named = withoutAbsent(found, absent);
    return named.some(({ rank }) => rank === CLIENT_RANK.remote) ? nearEnds(named, JSON.stringify(value)) : named;
  }
  const inTexts = texts.flatMap((text) => candidatesInText(text));
  // Next to a member that is an address, only the form of a known program says more.
  const isNamed = found.some(({ rank }) => rank === CLIENT_RANK.address);
  return [...found, ...(isNamed ? inTexts.filter(({ rank }) => rank === CLIENT_RANK.format) : inTexts)];
}

/** A client's field that is there decides, also where it holds no address; what is left can still be named. */
const withoutAbsent = (found: readonly Candidate[], absent: number): readonly Candidate[] =>
  found.some(({ rank }) => rank <= absent) || absent > CLIENT_RANK.remote
    ? found
    : found.map((one) => ({ ...one, rank: CLIENT_RANK.chosen }));

const OF_ADDRESS = /(?:ip|ips|addr|addrs|address|addresses|ipv[46])$/i;
/** An address of mail or of a network card does not answer the question; behind a socket a proxy writes another field. */
const OTHER_VALUE = /@|^unix|^localhost|^(?:[\da-f]{2}[:-]){5}/i;

function absentRank(path: readonly string[], text: string): number {
  if (!OF_ADDRESS.test(path.at(-1) ?? '') || OTHER_VALUE.test(text)) return Number.POSITIVE_INFINITY;
  const rank = clientRank(path);
  return rank >= CLIENT_RANK.client && rank <= CLIENT_RANK.remote ? rank : Number.POSITIVE_INFINITY;
}

function collect(value: unknown, path: readonly string[], into: Collected): void {
  if (value === null || (Array.isArray(value) && value.length === 0))
    into.absent = Math.min(into.absent, absentRank(path, ''));
  else if (typeof value === 'string') takeText(value, path, into);
  else if (path.length > DEPTH_MAX) return;
  else if (Array.isArray(value)) for (const one of value) collect(one, path, into);
  else if (isRecord(value)) {
    const pair = nameAndValue(value);
    if (pair !== undefined) collect(pair.value, [...path, pair.name], into);
    else for (const [key, member] of Object.entries(value)) collect(member, [...path, key], into);
  }
}

/** Reads a form such as `{"Name": "ClientIP", "Value": "9.9.9.9"}`. */
function nameAndValue(record: Readonly<Record<string, unknown>>): { name: string; value: unknown } | undefined {
  const entries = Object.entries(record);
  if (entries.length > 4) return undefined;
  const name = entries.find(([key]) => /^(?:name|key|@name)$/i.test(key))?.[1];
  const value = entries.find(([key]) => /^(?:value|#text|text)$/i.test(key))?.[1];
  return typeof name === 'string' && value !== undefined ? { name, value } : undefined;
}

function takeText(text: string, path: readonly string[], into: Collected): void {
  const last = path.at(-1) ?? '';
  const inside = /^\s*[{[]\s*["{[]/.test(text) ? embeddedObject(text) : undefined;
  const byFormat = /^\d{10,13},/.test(text) ? formatCandidate(text, '') : undefined;
  const isAddresses = /^[\s[\]\d.:,a-f%/()"A-F]*$/.test(text) || /(?:^::ffff:|^unknown,)/i.test(text);
  const addresses = isAddresses ? listed(text) : [];
  if (inside !== undefined) collect(inside, path, into);
  else if (typeof byFormat === 'object') into.found.push(...byFormat);
  else if (addresses.length === 0 && TEXTS.test(last)) into.texts.push(text);
  else if (addresses.length === 0) into.absent = Math.min(into.absent, absentRank(path, text));
  const rank = clientRank(path);
  for (const address of addresses)
    into.found.push({
      address,
      name: path.join('.'),
      rank: /ip|addr/i.test(last) ? rank : rankFor(address, rank),
      isKey: true,
    });
}

export interface Choice {
  readonly taken: Candidate;
  readonly others: readonly Candidate[];
  /** Addresses under another name that are as good, and as public. */
  readonly rivals: readonly Candidate[];
  /** True where neither a format nor a name says that it is the client, or two names say it of two addresses. */
  readonly isGuess: boolean;
}

/** @param rankMax worse candidates are not taken @returns undefined where none may be taken */
export function chooseCandidate(
  candidates: readonly Candidate[],
  rankMax: ClientRank = CLIENT_RANK.other,
): Choice | undefined {
  const allowed = candidates.filter(({ rank }) => rank <= rankMax);
  const least = Math.min(...allowed.map(({ rank }) => rank));
  const best = allowed.filter(({ rank }) => rank === least);
  const [first] = best;
  if (first === undefined) return undefined;
  const isNamed = least < CLIENT_RANK.forwarded;
  // Text from the client stands before the place where the program names it.
  const last = first.name === 'from' && first.isKey !== true ? best.findLast(({ name }) => name === 'from') : undefined;
  const isOpen = ({ address }: Candidate): boolean => !isReserved(address);
  let taken = last ?? (isNamed && isOpen(first) ? first : (best.find(isOpen) ?? first));
  // A proxy's private address stands before the list that the proxy wrote.
  if (least > CLIENT_RANK.format && isNamed && !isOpen(taken))
    taken = allowed.find((one) => one.rank === CLIENT_RANK.forwarded && isOpen(one)) ?? taken;
  const differs = ({ address }: Candidate): boolean =>
    compareAddresses(address, taken.address) !== 0 || address.family !== taken.address.family;
  const rivals = best.filter(
    (one) =>
      taken.isKey &&
      one.isKey &&
      one.name !== taken.name &&
      !one.name.endsWith(',') &&
      isOpen(one) === isOpen(taken) &&
      differs(one),
  );
  const others = candidates.filter((one) => one.rank < CLIENT_RANK.chosen && differs(one));
  return { taken, rivals, others: isNamed ? rivals : others, isGuess: !isNamed || rivals.length > 0 };
}

/** @returns none where a name or a format says it, or where the only address of a line is taken for want of a name */
export const doubtOf = (
  { taken, others, isGuess }: Choice,
  rankMax: ClientRank | undefined,
): readonly SummaryDoubt[] =>
  isGuess && (others.length > 0 || rankMax === CLIENT_RANK.other)
    ? [{ taken: seenOf(taken), others: others.map(seenOf), lines: 1 }]
    : [];

/** A word of a sentence is no name that can be asked for. */
export const seenOf = ({ name, address, isKey }: Candidate): SeenAddress => ({
  name: isKey ? name : '',
  example: formatAddress(address),
});

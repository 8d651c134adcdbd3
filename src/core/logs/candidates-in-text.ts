import type { Address } from '../ip/address.ts';
import { addressSpans, plainText } from '../ip/find-addresses.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { compareAddresses } from '../ip/prefix.ts';
import { isReserved } from '../ip/special-purpose.ts';
import { isRecord, parseJson } from '../kit/json.ts';
import { CLIENT_RANK, type ClientRank, clientRank } from './client-rank.ts';
import { callerOf, nearEnds } from './connection-ends.ts';
import { lineHeader } from './line-header.ts';
import { chooseAddresses } from './line-reader.ts';
import { LOG_FORMATS } from './log-formats.ts';
import { lineTime } from './time-in.ts';

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
 * about a client only where a name says so.
 */
export function candidatesInText(line: string): readonly Candidate[] {
  const text = plainText(line.slice(0, LINE_MAX).replace(COLOUR, ''));
  const header = lineHeader(text);
  const message = header === undefined ? text : text.slice(header.end).trimStart();
  const byFormat = formatCandidate(message, header?.program ?? '');
  if (byFormat?.isOpen === false) return byFormat.found;
  const inside = embeddedObject(message);
  const inObject = inside === undefined ? [] : candidatesIn(inside);
  let named = inObject.length > 0 ? inObject : namedInText(message);
  // A path may have the form of an address.
  const isOther = header !== undefined && header.program !== '' && byFormat === undefined;
  if (isOther && named !== inObject)
    named = named.filter(({ rank, isKey }) => rank < (isKey ? CLIENT_RANK.unknown : CLIENT_RANK.address));
  if (named.length === 0 && header !== undefined) named = namedInText(header.data).filter(({ isKey }) => isKey);
  const isLog =
    header !== undefined || (named.some(({ name }) => name === URL_NAME) && lineTime(text, undefined) !== undefined);
  if (!isLog) return named.map((one) => (one.name === URL_NAME ? { ...one, rank: CLIENT_RANK.unknown } : one));
  if (named.length > 0 || header?.isCertain !== false) return named;
  return addressSpans(plainText(text.slice(0, header.end))).map(({ address }) => ({
    address,
    name: 'host',
    rank: CLIENT_RANK.other,
  }));
}

interface ByFormat {
  readonly found: readonly Candidate[];
  /** The format has other lines too, and this is one of them. */
  readonly isOpen: boolean;
}

function formatCandidate(message: string, program: string): ByFormat | undefined {
  const text = program === '' ? message : `${program}: ${message}`;
  let isOpen = false;
  for (const { name, is, client, forwarded, isOpen: hasOthers = false } of LOG_FORMATS) {
    if (!is.test(text)) continue;
    const address = firstOf(text, client);
    const list =
      address !== undefined && forwarded !== undefined && isReserved(address) ? firstOf(text, [forwarded]) : undefined;
    const taken = list !== undefined && !isReserved(list) ? list : address;
    if (taken !== undefined) return { found: [{ address: taken, name, rank: CLIENT_RANK.format }], isOpen: false };
    if (!hasOthers) return { found: [], isOpen: false };
    isOpen = true;
  }
  return isOpen ? { found: [], isOpen } : undefined;
}

/**
 * Returns whether the reader knows the form of a line: syslog's header, CEF, LEEF, a format of the table,
 * or `key=value`.
 */
export function isOfFormat(line: string): boolean {
  const header = lineHeader(line);
  if (header?.isCertain === true || EVENT.test(line)) return true;
  return (
    formatCandidate(line.slice(header?.end ?? 0).trimStart(), '')?.isOpen === false ||
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

const KEY = /((?:[A-Z][\w-]* ){0,3}[\p{L}\p{N}_.@/-]+)(?:\(\d{1,5}\))?["']?\s?(?:=>?|:|\|)\s?["'[(<{\\]*$/u;
const ELEMENT = /<(?:\w+:)?([\w.-]+)(?:\s[^<>]*?name=["']([\w.:-]+)["'])?[^<>/]*>["'[(]?$/i;
/** In `unknown[9.9.9.9]` and `host.example (9.9.9.9)` the word before names the address. */
const HOST_BEFORE = /[\w.-]*\s?[[(]+["']?$/;
const WORD = /([\w-]+)[^\w]{0,4}$/;
const ARROW = String.raw`(?:\s*[-=]+>|\s>|\s*\u2192|\s+to\b)\s*`;
/** An arrow is a direction where an address or `host:port` follows. */
const ARROW_BEHIND = new RegExp(
  String.raw`^[^\s<>]*${ARROW}\S*?(?:\d(?:\.\d{1,3}){3}|[\da-f]*:[\da-f]*:|[\w.-]:\d)`,
  'i',
);
const ARROW_BEFORE = /(?:-+>|=+>|\s>|\u2192)\s*[\w-]*[:/]?\s?[[("']*$/;
/** OSSEC and Wazuh name agent and file so: `(web) 10.0.0.5->/var/log/auth.log`, `10.0.0.5->WinEvtLog`. */
const AGENT_BEHIND = /^->(?:\/|[A-Za-z-]+(?:[\s;]|$))/;
const NEXT_OF_LIST = /^\s*(?::\d+)?\s*,\s*"?$/;
const BEFORE = 120;
const URL_NAME = 'URL';

/** A request, with quotes or without, and the quoted texts behind it are the client's own words. */
const REQUEST =
  /"(?:[A-Z]{3,10} |\/)[^"]*(?:"|$)|\b(?:GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH|CONNECT|PROPFIND) (?:\/|\*|\w+:)\S*/g;
const QUOTED = /"[^"]*"/g;
/** A quoted value with blanks or keys is a text, which a client may have written. */
const QUOTED_VALUE = /[\w.-]=(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/g;
const ELEMENT_TEXT = /<(?:\w+:)?([\w.-]+)(?:\s(?:name=["']([\w.:-]+))?[^<>]*)?>([^<>]+)<\//gi;
const LIST_OF_ADDRESSES = /^[\s\d.,:a-f%()"'[\]]*$/i;

interface Written {
  readonly from: number;
  readonly to: number;
  /** Counts where nothing outside of it names a client. */
  readonly mayCount: boolean;
}

/** Finds texts of which a part is no address of its own: requests, elements, quoted values. */
function writtenIn(plain: string): readonly Written[] {
  const span = ({ 0: whole, index }: RegExpExecArray, mayCount: boolean): Written => ({
    from: index,
    to: index + whole.length,
    mayCount,
  });
  const requests = [...plain.matchAll(REQUEST)].map((match) => span(match, false));
  const [request] = requests;
  const behind =
    request !== undefined && plain[request.to - 1] === '"'
      ? [...plain.slice(request.to).matchAll(QUOTED)]
          .map((match) => span(match, false))
          .map(({ from, to, mayCount }) => ({ from: from + request.to, to: to + request.to, mayCount }))
      : [];
  const elements = plain.includes('</')
    ? [...plain.matchAll(ELEMENT_TEXT)]
        .filter(({ 1: tag, 2: name = tag, 3: text }) => !TEXTS.test(name!) && !LIST_OF_ADDRESSES.test(text!))
        .map((match) => span(match, false))
    : [];
  const values = [...plain.matchAll(QUOTED_VALUE)].filter(({ 1: double, 2: single }) => {
    const value = double ?? single ?? '';
    return /[\s=]/.test(value) && !LIST_OF_ADDRESSES.test(value);
  });
  return [...requests, ...behind, ...elements, ...values.map((match) => span(match, true))].toSorted(
    (a, b) => a.from - b.from,
  );
}

/** Keys within the text of another key's value give way to those outside of it. */
function namedInText(message: string): readonly Candidate[] {
  const plain = plainText(message);
  const written = writtenIn(plain);
  let next = 0;
  let holder: Written | undefined;
  const all = namedAt(plain).map(({ at, ...candidate }) => {
    for (; next < written.length && written[next]!.from < at; next++)
      if (holder === undefined || written[next]!.to > holder.to) holder = written[next];
    const text = holder !== undefined && at < holder.to ? holder : undefined;
    return { text, candidate };
  });
  const isStated = all.some(({ candidate, text }) => text === undefined && candidate.rank <= CLIENT_RANK.remote);
  const named = all.map(({ candidate, text }) =>
    text !== undefined && (isStated || !text.mayCount) ? { ...candidate, rank: CLIENT_RANK.chosen } : candidate,
  );
  const [only, ...others] = named.filter(({ rank }) => rank < CLIENT_RANK.chosen);
  const isAsker = only?.rank === CLIENT_RANK.unknown && others.length === 0 && BEFORE_REQUEST.test(plain);
  if (isAsker) return [{ ...only, name: 'request', rank: CLIENT_RANK.source }];
  const absent = [...plain.matchAll(EMPTY_VALUE)].map(({ 1: name }) => absentRank([name!], ''));
  return nearEnds(withoutAbsent(named, Math.min(...absent)), plain);
}

/** An address alone in front of a request is whose request it is. */
const BEFORE_REQUEST = /[\da-f]\]?(?::\d{1,5})?[\s"|,-]{1,5}(?:GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH) \//i;
const EMPTY_VALUE = /(?<![\w.-])([\w.-]{2,60})=(?:""|-)?(?=[\s,;]|$)/g;

type Placed = Candidate & { readonly at: number };

function namedAt(plain: string): readonly Placed[] {
  const found: Placed[] = [];
  let behind = 0;
  let previous: Candidate | undefined;
  const spans = addressSpans(plain);
  for (const { address, from, to } of spans) {
    const between = plain.slice(behind, from);
    const isNext = previous !== undefined && from - behind <= BEFORE && NEXT_OF_LIST.test(between);
    const before = plain.slice(Math.max(0, from - BEFORE), from);
    const after = plain.slice(to, to + BEFORE);
    const one = isNext ? { ...previous!, address } : named(address, before, after);
    // The first public address of a list counts; those behind it are proxies.
    if (isNext && isReserved(previous!.address) && !isReserved(address)) found.pop();
    else if (isNext) {
      found.push({ ...one, name: `${one.name},`, at: from });
      behind = to;
      continue;
    }
    found.push({ ...one, at: from });
    const isPair = previous !== undefined && spans.length === 2 && previous.isKey !== true && one.isKey !== true;
    const first = isPair ? callerOf(between, after) : undefined;
    if (first !== undefined)
      return found.map((candidate, i) => ({
        ...candidate,
        name: 'port',
        rank: i === first ? CLIENT_RANK.source : CLIENT_RANK.other,
      }));
    previous = one;
    behind = to;
  }
  return found;
}

function named(address: Address, before: string, after: string): Candidate {
  if (before.endsWith('\\=')) return { address, name: '"', rank: CLIENT_RANK.chosen };
  if (/\w:\/\/[^\s/"']*$/.test(before)) return { address, name: URL_NAME, rank: CLIENT_RANK.other };
  if (AGENT_BEHIND.test(after)) return { address, name: 'agent', rank: CLIENT_RANK.other };
  if (ARROW_BEHIND.test(after)) return { address, name: '->', rank: CLIENT_RANK.source };
  if (ARROW_BEFORE.test(before)) return { address, name: '->', rank: CLIENT_RANK.other };
  const element = ELEMENT.exec(before);
  const name = element?.[2] ?? element?.[1] ?? keyBefore(before);
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

/** Matches `from [9.9.9.9]`; in `unknown[9.9.9.9]` the word is a host. */
const OF_BRACKET = /(?:^|\s)(from|by|to|client|with|connection)\s[[(]+["']?$/i;

/** @returns empty for a word that says nothing */
function wordBefore(before: string): string {
  const word =
    OF_BRACKET.exec(before)?.[1] ?? WORD.exec(before.replace(HOST_BEFORE, ''))?.[1] ?? WORD.exec(before)?.[1] ?? '';
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
  const [, client] = VENDORS.find(([sign]) => hasPath(value, sign)) ?? [];
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

const hasPath = (value: unknown, path: string): boolean =>
  isRecord(value) &&
  (path in value ||
    path.split('.').reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value) !== undefined);

/** A client's field that is there decides, also where it holds no address; what is left can still be named. */
const withoutAbsent = (found: readonly Candidate[], absent: number): readonly Candidate[] =>
  found.some(({ rank }) => rank <= absent) || absent > CLIENT_RANK.remote
    ? found
    : found.map((one) => ({ ...one, rank: CLIENT_RANK.chosen }));

const OF_ADDRESS = /(?:ip|ips|addr|addrs|address|addresses|ipv[46])$/i;
/** An address of mail or of a network card is no answer to the question; behind a socket a proxy writes another field. */
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
  else if (byFormat !== undefined) into.found.push(...byFormat.found);
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
  return { taken, others: isNamed ? rivals : others, isGuess: !isNamed || rivals.length > 0 };
}

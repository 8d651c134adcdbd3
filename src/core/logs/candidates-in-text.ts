import type { Address } from '../ip/address.ts';
import { addressSpans, plainText } from '../ip/find-addresses.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { compareAddresses } from '../ip/prefix.ts';
import { isReserved } from '../ip/special-purpose.ts';
import { isRecord, parseJson } from '../kit/json.ts';
import { CLIENT_RANK, type ClientRank, clientRank } from './client-rank.ts';
import { lineHeader } from './line-header.ts';
import { chooseAddresses } from './line-reader.ts';
import { LOG_FORMATS } from './log-formats.ts';

export interface Candidate {
  readonly address: Address;
  /** The path of a member, a key, the word before the address, or the name of the format that places it. */
  readonly name: string;
  readonly rank: ClientRank;
  /** The name belongs to a member or key, so --field can name it. */
  readonly isKey?: true;
}

const LINE_MAX = 64 * 1024;

/**
 * Finds the addresses of a line of text, best first, equal ranks in their order. A format of the table yields
 * the client alone, or nothing where it says that the line has none.
 */
export function candidatesInText(line: string): readonly Candidate[] {
  const text = plainText(line.slice(0, LINE_MAX));
  const header = lineHeader(text);
  const message = header === undefined ? text : text.slice(header.end).trimStart();
  const byFormat = formatCandidate(message, header?.program ?? '');
  if (byFormat !== undefined) return byFormat;
  const inside = embeddedObject(message);
  const inObject = inside === undefined ? [] : candidatesIn(inside);
  let named = inObject.length > 0 ? inObject : namedInText(message);
  if (named.length === 0 && header !== undefined) named = namedInText(header.data).filter(({ isKey }) => isKey);
  if (named.length > 0 || header === undefined || header.isCertain) return named;
  return addressSpans(plainText(text.slice(0, header.end))).map(({ address }) => ({
    address,
    name: 'host',
    rank: CLIENT_RANK.other,
  }));
}

function formatCandidate(message: string, program: string): readonly Candidate[] | undefined {
  const text = program === '' ? message : `${program}: ${message}`;
  for (const { name, is, client, forwarded, isOpen } of LOG_FORMATS) {
    if (!is.test(text)) continue;
    const address = firstOf(text, client);
    const list =
      address !== undefined && forwarded !== undefined && isReserved(address) ? firstOf(text, [forwarded]) : undefined;
    const taken = list !== undefined && !isReserved(list) ? list : address;
    if (taken !== undefined) return [{ address: taken, name, rank: CLIENT_RANK.format }];
    if (isOpen !== true) return [];
  }
  return undefined;
}

/**
 * Returns whether the reader knows the form of a line: syslog's header, CEF, LEEF, a format of the table,
 * or `key=value`.
 */
export function isOfFormat(line: string): boolean {
  const header = lineHeader(line);
  if (header?.isCertain === true || EVENT.test(line)) return true;
  return (
    formatCandidate(line.slice(header?.end ?? 0).trimStart(), '') !== undefined ||
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

const KEY = /((?:[A-Z][\w-]* ){0,3}[\w.@/-]+)["']?\s?(?:=>?|:|\|)\s?["'[(<{\\]*$/;
const ELEMENT = /<(?:\w+:)?([\w.-]+)(?:\s[^<>]*?name=["']([\w.:-]+)["'])?[^<>/]*>["'[(]?$/i;
/** In `unknown[9.9.9.9]` and `host.example (9.9.9.9)` the word before names the address. */
const HOST_BEFORE = /[\w.-]*\s?[[(]+["']?$/;
const WORD = /([\w-]+)[^\w]{0,4}$/;
const ARROW_BEHIND = /^[^\s<>]*(?:\s*-+>|\s*=+>|\s>|\s*\u2192|\s+to\b)/;
/** OSSEC and Wazuh name agent and file so: `(web) 10.0.0.5->/var/log/auth.log`, `10.0.0.5->WinEvtLog`. */
const AGENT_BEHIND = /^->(?:\/|[A-Za-z-]+(?:[\s;]|$))/;
const ARROW_BEFORE = /(?:-+>|=+>|\s>|\u2192)\s*[\w-]*[:/]?\s?[[("']*$/;
const NEXT_OF_LIST = /^\s*(?::\d+)?\s*,\s*"?$/;
const BEFORE = 120;
/** Matches a quoted text with blanks after a request: referrer and user agent of a custom access log. */
const QUOTED_AFTER_REQUEST = /HTTP\/[\d.]+"[^"]*"[^"]*(?:"[^"]*"[^"]*"[^"]*)*$/;

const REQUEST_BEFORE = /"(?:[A-Z]{3,10} |\/)[^"]*$/;

/** A quoted value with blanks or keys is a text, which a client may have written. */
const QUOTED_VALUE = /[\w.-]=(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/g;
const LIST_OF_ADDRESSES = /^[\s\d.,:a-f[\]]*$/i;

function quotedTexts(plain: string): (readonly [from: number, to: number])[] {
  return [...plain.matchAll(QUOTED_VALUE)].flatMap(({ 0: whole, 1: double, 2: single, index }) => {
    const value = double ?? single ?? '';
    return /[\s=]/.test(value) && !LIST_OF_ADDRESSES.test(value) ? [[index, index + whole.length] as const] : [];
  });
}

/** Keys within the text of another key's value give way to those outside of it. */
function namedInText(message: string): readonly Candidate[] {
  const plain = plainText(message);
  const texts = quotedTexts(plain);
  const all = namedAt(plain).map((candidate) => ({
    candidate,
    isInText: texts.some(([from, to]) => candidate.at > from && candidate.at < to),
  }));
  const isStated = all.some(({ candidate, isInText }) => !isInText && candidate.rank <= CLIENT_RANK.remote);
  return all.map(({ candidate: { at: _, ...candidate }, isInText }) =>
    isInText && isStated ? { ...candidate, rank: CLIENT_RANK.chosen } : candidate,
  );
}

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
    const ends = isPair ? endsByPorts(between, after) : undefined;
    if (ends !== undefined) return ends.map((end, i) => ({ ...found[i]!, ...end }));
    previous = one;
    behind = to;
  }
  return found;
}

type End = Pick<Candidate, 'name' | 'rank'>;
const SOURCE: End = { name: 'port', rank: CLIENT_RANK.source };
const OTHER: End = { name: 'port', rank: CLIENT_RANK.other };
const PORT_BETWEEN = /^[\s,;|:]+(\d{1,5})[\s,;|]+$/;
const PORT_BEHIND = /^[\s,;|:]+(\d{1,5})(?=[\s,;|]|$)/;
const PORTS_BEHIND = /^[\s,;|]+(\d{1,5})[\s,;|]+(\d{1,5})(?=[\s,;|]|$)/;
const WELL_KNOWN_MAX = 1023;
/** Systems give their clients ports from here on. */
const EPHEMERAL_MIN = 32_768;

/** Flow records write `A 50000 B 443` or `A B 50000 443`; the ports say who called. */
function endsByPorts(between: string, after: string): readonly [End, End] | undefined {
  const ports = /^[\s,;|]+$/.test(between)
    ? PORTS_BEHIND.exec(after)?.slice(1)
    : [PORT_BETWEEN.exec(between)?.[1], PORT_BEHIND.exec(after)?.[1]];
  const [first = Number.NaN, second = Number.NaN] = ports?.map(Number) ?? [];
  if (isCaller(first, second)) return [SOURCE, OTHER];
  return isCaller(second, first) ? [OTHER, SOURCE] : undefined;
}

const isCaller = (own: number, other: number): boolean =>
  other > 0 && own > WELL_KNOWN_MAX && (other <= WELL_KNOWN_MAX || (own >= EPHEMERAL_MIN && other < EPHEMERAL_MIN));

function named(address: Address, before: string, after: string): Candidate {
  if (QUOTED_AFTER_REQUEST.test(before) || REQUEST_BEFORE.test(before) || before.endsWith('\\='))
    return { address, name: '"', rank: CLIENT_RANK.chosen };
  if (/\w:\/\/[^\s/"']*$/.test(before)) return { address, name: 'URL', rank: CLIENT_RANK.other };
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
const OF_BRACKET = /(?:^|\s)(from|by|to|client|with)\s[[(]+["']?$/i;

function wordBefore(before: string): string {
  const ofBracket = OF_BRACKET.exec(before)?.[1];
  if (ofBracket !== undefined) return ofBracket;
  const word = WORD.exec(before.replace(HOST_BEFORE, ''))?.[1] ?? WORD.exec(before)?.[1] ?? '';
  const outer = isTelling(rankOf(word)) ? undefined : OUTER.exec(before)?.[1];
  return outer !== undefined && isTelling(rankOf(outer)) && rankOf(outer) !== CLIENT_RANK.chosen ? outer : word;
}

const rankOf = (word: string): ClientRank => (word === '' ? CLIENT_RANK.unknown : clientRank([word]));

/** Without a name that says client, `121.0.0.0` is a version. */
const rankFor = ({ family, w0 }: Address, rank: ClientRank): ClientRank =>
  family === 4 && w0 !== 0 && (w0 & 0xffffff) === 0 && rank >= CLIENT_RANK.address ? CLIENT_RANK.chosen : rank;

const DEPTH_MAX = 12;
export const TEXTS =
  /^(?:log|message|msg|_raw|raw|line|original|textpayload|event|body|data|logmessage|rawmessage|syslog_message|full_message|short_message|description|eventdescription|rawxml|xml|eventdata|details)$/i;
const SHORT = 60;

/** Finds the addresses of a JSON object by their paths; texts count only where no member is an address. */
export function candidatesIn(value: unknown): readonly Candidate[] {
  const found: Candidate[] = [];
  const texts: string[] = [];
  collect(value, [], found, texts);
  if (found.some(({ rank }) => rank < CLIENT_RANK.address)) return found;
  const inTexts = texts.flatMap((text) => candidatesInText(text));
  // Next to a member that is an address, only the form of a known program says more.
  const isNamed = found.some(({ rank }) => rank === CLIENT_RANK.address);
  return [...found, ...(isNamed ? inTexts.filter(({ rank }) => rank === CLIENT_RANK.format) : inTexts)];
}

function collect(value: unknown, path: readonly string[], found: Candidate[], texts: string[]): void {
  if (typeof value === 'string') takeText(value, path, found, texts);
  else if (path.length > DEPTH_MAX) return;
  else if (Array.isArray(value)) for (const one of value) collect(one, path, found, texts);
  else if (isRecord(value)) {
    const pair = nameAndValue(value);
    if (pair !== undefined) collect(pair.value, [...path, pair.name], found, texts);
    else for (const [key, member] of Object.entries(value)) collect(member, [...path, key], found, texts);
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

function takeText(text: string, path: readonly string[], found: Candidate[], texts: string[]): void {
  const last = path.at(-1) ?? '';
  const inside = /^\s*[{[]\s*["{[]/.test(text) ? embeddedObject(text) : undefined;
  const byFormat = /^\d{10,13},/.test(text) ? formatCandidate(text, '') : undefined;
  if (inside !== undefined) collect(inside, path, found, texts);
  else if (byFormat !== undefined) found.push(...byFormat);
  else if (text.length > SHORT && TEXTS.test(last)) texts.push(text);
  else if (/^[\s[\]\d.:,a-f%/()"A-F]*$/.test(text) || /(?:^::ffff:|^unknown,)/i.test(text)) {
    const addresses = listed(text);
    const rank = clientRank(path);
    for (const address of addresses)
      found.push({
        address,
        name: path.join('.'),
        rank: /ip|addr/i.test(last) ? rank : rankFor(address, rank),
        isKey: true,
      });
  } else if (TEXTS.test(last)) texts.push(text);
}

export interface Choice {
  readonly taken: Candidate;
  readonly others: readonly Candidate[];
  /** True where neither a format nor a name says that it is the client. */
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
  const isGuess = least >= CLIENT_RANK.forwarded;
  // Text from the client stands before the place where the program names it.
  const last = first.name === 'from' && first.isKey !== true ? best.findLast(({ name }) => name === 'from') : undefined;
  let taken = last ?? first;
  if (isGuess) taken = best.find(({ address }) => !isReserved(address)) ?? first;
  // A proxy's private address stands before the list that the proxy wrote.
  if (least > CLIENT_RANK.format && !isGuess && isReserved(taken.address))
    taken = allowed.find(({ rank, address }) => rank === CLIENT_RANK.forwarded && !isReserved(address)) ?? taken;
  const others = candidates.filter(
    ({ address, rank }) => rank < CLIENT_RANK.chosen && compareAddresses(address, taken.address) !== 0,
  );
  return { taken, others, isGuess };
}

import { formatAddress } from '../ip/format-address.ts';
import { binaryKind, plainText } from '../logs/plain-text.ts';
import { type Said, said } from '../texts/said.ts';
import { type Feed, type FeedFormat, isOwnFeed, type ParsedFeed, type RirFormat } from './feed.ts';
import { addRange, parseCsv } from './parse-csv.ts';
import { parseCowrie, parseJsonFeed, parseStix } from './parse-json-feed.ts';
import { parseAsns, parseLines } from './parse-lines.ts';
import { parseMisp } from './parse-misp.ts';
import { statedPublication } from './read-time.ts';
import { RowBuilder, type RowOptions } from './row-builder.ts';

const HEAD_BYTES = 4096;

/**
 * Reads one unpacked body by its format. Bad rows are refused and counted by reason; content never throws.
 * @param options.riskType risk type of rows that name none
 * @param options.widest shortest prefixes taken, where not the usual
 * @param options.narrowest longest prefixes taken, where not single addresses
 * @param options.ownKinds for files of own sensors: rows may be of kinds that only own collection brings;
 * elsewhere they are refused as `own_collection_only`
 * @param options.keepReserved for lists that describe networks rather than abuse
 */
export function parseFeed(body: Uint8Array, format: FeedFormat, options: RowOptions): ParsedFeed {
  const bytes = plainText(body);
  const head = new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES));
  const rows = new RowBuilder(options);
  const foreign = foreignContent(bytes, head, format);
  if (foreign === undefined) parseInto(bytes, format, rows);
  return { ...rows.finish(), ...(HAS_HEADER.has(format.kind) && statedPublication(head)), head, foreign };
}

const HAS_HEADER: ReadonlySet<FeedFormat['kind']> = new Set(['lines', 'csv', 'asns']);

export function rowOptionsOf(feed: Pick<Feed, 'effect' | 'bounds' | 'family'>): RowOptions {
  const { effect } = feed;
  const { widest, narrowest } = feed.bounds;
  return {
    ...(effect.kind === 'network'
      ? { keepReserved: true }
      : { riskType: effect.riskType, ...(isOwnFeed(feed) && { ownKinds: true }) }),
    ...(widest && { widest }),
    ...(narrowest && { narrowest }),
  };
}

const READERS: {
  readonly [K in FeedFormat['kind']]: (
    bytes: Uint8Array,
    format: Extract<FeedFormat, { kind: K }>,
    rows: RowBuilder,
  ) => void;
} = {
  lines: parseLines,
  asns: parseAsns,
  csv: parseCsv,
  json: parseJsonFeed,
  rir: parseRir,
  stix: (bytes, _, rows) => parseStix(bytes, rows),
  misp: (bytes, _, rows) => parseMisp(bytes, rows),
  cowrie: (bytes, _, rows) => parseCowrie(bytes, rows),
};

function parseInto(bytes: Uint8Array, format: FeedFormat, rows: RowBuilder): void {
  (READERS[format.kind] as (bytes: Uint8Array, format: FeedFormat, rows: RowBuilder) => void)(bytes, format, rows);
}

const JSON_KINDS: ReadonlySet<FeedFormat['kind']> = new Set(['json', 'stix', 'misp', 'cowrie']);
const HTML = /^<(?:!doctype html|!--|html|head|body|title|meta|script|h1|p|div|center)\b/i;
const XML = /^<(?:\?xml|[a-z][\w:.-]*[\s/>])/i;
/** An array of texts, numbers or objects: `[2001:db8::1]:80` is an address. */
const JSON_TEXT = /^(?:\{|\[\s*(?:[{"\]]|-?\d+\s*[,\]]))/;

/** Says what a body is where it is not a list of this format: an error page, an archive, another format. */
function foreignContent(body: Uint8Array, head: string, format: FeedFormat): Said | undefined {
  const kind = binaryKind(body);
  if (kind !== undefined) return said('the body is a file of {kind}, not the list', { kind });
  return otherText(head.trimStart(), format);
}

function otherText(text: string, format: FeedFormat): Said | undefined {
  if (format.kind === 'json' && format.inPage === true) return undefined;
  if (HTML.test(text)) return said('the body is an HTML page, not the list');
  if (XML.test(text)) return said('the body is an XML document, not the list');
  if (text.includes('\0')) return said('the body is binary data, not the list');
  return JSON_TEXT.test(text) && !JSON_KINDS.has(format.kind)
    ? said('the body is a JSON document, not the list')
    : undefined;
}

/**
 * The NRO's extended delegated file gives a count of addresses in IPv4 rows and a prefix length in IPv6 rows.
 */
function parseRir(bytes: Uint8Array, format: RirFormat, rows: RowBuilder): void {
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    const [, , type, start = '', value = '', , status = ''] = line.trim().split('|');
    if (line.startsWith('#') || (type !== 'ipv4' && type !== 'ipv6') || start === '*') continue;
    if (!format.status.includes(status)) rows.refuse('other_status');
    else if (type === 'ipv6') rows.addText(`${start}/${value}`);
    else addCounted(start, Number(value), rows);
  }
}

function addCounted(start: string, count: number, rows: RowBuilder): void {
  if (
    !Number.isInteger(count) ||
    count < 1 ||
    !rows.scanText(start) ||
    rows.scanner.family !== 4 ||
    rows.scanner.w0 + count > 2 ** 32
  ) {
    rows.refuse('not_a_range');
    return;
  }
  const last = { family: 4, w0: rows.scanner.w0 + count - 1, w1: 0, w2: 0, w3: 0 } as const;
  addRange(start, formatAddress(last), rows);
}

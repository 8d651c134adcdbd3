import { csvCell } from '../csv/csv-cell.ts';
import { formatPrefix } from '../ip/format-address.ts';
import { type Said, said } from '../texts/said.ts';
import { type ExportNotice, noticeLines } from './export-notice.ts';
import type { ExportDetail, ExportEntry } from './export-record.ts';

/**
 * - `name`: names the sets or the table of the file: `[a-z][a-z0-9_]*`.
 * - `hasComments`: the notice stands in the file as comments; by default it does where every reader takes them, which
 *   excludes CSV.
 */
export interface TextInput {
  readonly entries: Iterable<ExportEntry>;
  readonly notice: ExportNotice;
  readonly name: string;
  readonly hasComments?: boolean | undefined;
  readonly total?: (() => number | undefined) | undefined;
}

interface TextFormat {
  readonly carries: ExportDetail;
  readonly write: (input: TextInput) => Generator<string>;
}

type Prefixed = Pick<ExportEntry, 'prefix'>;

export const TEXT_FORMATS = {
  txt: { carries: 'prefix', write: txt },
  csv: { carries: 'record', write: csv },
  json: { carries: 'record', write: json },
  ndjson: { carries: 'record', write: ndjson },
  nft: { carries: 'prefix', write: nft },
  'nginx-geo': { carries: 'score', write: nginxGeo },
  'haproxy-map': { carries: 'score', write: haproxyMap },
  ipset: { carries: 'prefix', write: ipset },
} as const satisfies Record<string, TextFormat>;

export type TextFormatName = keyof typeof TEXT_FORMATS;

function* txt({ entries }: TextInput): Generator<string> {
  for (const { prefix } of entries) yield `${formatPrefix(prefix)}\n`;
}

const comment = (notice: ExportNotice): string =>
  noticeLines(notice)
    .map((line) => `# ${line}\n`)
    .join('');

/** Writes RFC 4180. A space joins signals; only a usage type needs quotes, because an operator may name one. */
function* csv({ entries, notice, hasComments = false }: TextInput): Generator<string> {
  if (hasComments) yield comment(notice);
  yield 'prefix,score,level,signals,evidence_state,asn,usage_type\n';
  for (const { prefix, record } of entries) {
    const { risk, evidence_state, network } = record;
    const fields = [
      risk.score,
      risk.level,
      risk.signals?.join(' ') ?? '',
      evidence_state,
      network?.asn ?? '',
      csvCell(network?.usage_type ?? ''),
    ];
    yield `${formatPrefix(prefix)},${fields.join(',')}\n`;
  }
}

/** The first line holds the notice under `meta`; every other line is a prefix with the fields of a lookup. */
function* ndjson({ entries, notice }: TextInput): Generator<string> {
  yield `${JSON.stringify({ meta: metaOf(notice) })}\n`;
  for (const { prefix, record } of entries) yield `${JSON.stringify({ prefix: formatPrefix(prefix), ...record })}\n`;
}

function* json({ entries, notice, total }: TextInput): Generator<string> {
  yield `{"meta":${JSON.stringify(metaOf(notice))},"prefixes":[`;
  let separator = '\n';
  for (const { prefix, record } of entries) {
    yield `${separator}${JSON.stringify({ prefix: formatPrefix(prefix), ...record })}`;
    separator = ',\n';
  }
  const of = total?.();
  yield of === undefined ? '\n]}\n' : `\n],"total":${of}}\n`;
}

export function metaOf(notice: ExportNotice): object {
  const { moment, dataVersion, parametersVersion, degraded, sources, own, leftOut, includesFetchOnly } = notice;
  return {
    computed_at: new Date(moment).toISOString(),
    data_version: dataVersion,
    parameters_version: parametersVersion,
    ...(degraded && { degraded }),
    redistribution: includesFetchOnly ? 'not allowed' : 'allowed with notices',
    sources,
    own_collection: own,
    left_out: leftOut,
    notice: noticeLines(notice),
  };
}

/** A bound on elements per statement keeps lines readable for the parser. */
const ELEMENTS = 256;

function* nft({ entries, notice, name, total, hasComments = true }: TextInput): Generator<string> {
  if (hasComments) yield comment(notice);
  yield* nftSets(name, name, entries);
  const of = total?.();
  if (hasComments && of !== undefined) yield `# The riskiest of ${of} prefixes.\n`;
}

/**
 * Fills the sets `<name>4` and `<name>6` of the table `inet <table>`, which `nft -f` replaces in one
 * transaction. Missing sets are created and rules that name the sets stay. Prefixes never overlap, so the
 * sets need no auto-merge.
 */
export function* nftSets(table: string, name: string, entries: Iterable<Prefixed>): Generator<string> {
  yield `table inet ${table} {\n\tset ${name}4 {\n\t\ttype ipv4_addr\n\t\tflags interval\n\t}\n\tset ${name}6 {\n\t\ttype ipv6_addr\n\t\tflags interval\n\t}\n}\n`;
  yield `flush set inet ${table} ${name}4\nflush set inet ${table} ${name}6\n`;
  for (const { family, texts } of inGroups(entries))
    yield `add element inet ${table} ${name}${family} { ${texts.join(', ')} }\n`;
}

/** Gives each prefix its score for `geo $variable { default 0; include FILE; }`. */
function* nginxGeo({ entries, notice }: TextInput): Generator<string> {
  yield comment(notice);
  for (const [prefix, score] of clientScores(entries)) yield `${prefix} ${score};\n`;
}

function* haproxyMap({ entries, notice }: TextInput): Generator<string> {
  yield comment(notice);
  for (const [prefix, score] of clientScores(entries)) yield `${prefix} ${score}\n`;
}

/** An IPv4 prefix is there once more behind the well-known prefix of NAT64, which these readers do not take off. */
function* clientScores(entries: Iterable<ExportEntry>): Generator<[prefix: string, score: number]> {
  for (const { prefix, record } of entries) {
    const { family, w0, bits } = prefix;
    yield [formatPrefix(prefix), record.risk.score];
    if (family === 4)
      yield [formatPrefix({ family: 6, w0: 0x0064_ff9b, w1: 0, w2: 0, w3: w0, bits: 96 + bits }), record.risk.score];
  }
}

/** Every file uses this `maxelem`, because ipset accepts a set as existing only if it is equal. */
const MAXELEM = 16_777_216;

/**
 * For `ipset restore`: fills new sets and swaps them with `<name>4` and `<name>6`, so that rules never see
 * half a list.
 */
function* ipset({ entries, notice, name }: TextInput): Generator<string> {
  yield comment(notice);
  const families = [4, 6] as const;
  for (const family of families) {
    for (const set of [`${name}${family}`, `${name}${family}-new`])
      yield `create ${set} hash:net family ${family === 4 ? 'inet' : 'inet6'} maxelem ${MAXELEM} -exist\n`;
    yield `flush ${name}${family}-new\n`;
  }
  for (const { prefix } of entries) yield `add ${name}${prefix.family}-new ${formatPrefix(prefix)}\n`;
  for (const family of families) yield `swap ${name}${family}-new ${name}${family}\ndestroy ${name}${family}-new\n`;
}

function* inGroups(
  entries: Iterable<Prefixed>,
): Generator<{ readonly family: 4 | 6; readonly texts: readonly string[] }> {
  let family: 4 | 6 = 4;
  let texts: string[] = [];
  for (const { prefix } of entries) {
    if (texts.length === ELEMENTS || (texts.length > 0 && prefix.family !== family)) {
      yield { family, texts };
      texts = [];
    }
    family = prefix.family;
    texts.push(formatPrefix(prefix));
  }
  if (texts.length > 0) yield { family, texts };
}

/** Words of nft's own language, measured with nft 1.0.6, and those that newer ones added. A script that names a table so does not load. */
const NFT_WORDS: ReadonlySet<string> = new Set(
  `
accept add ah all and arp bridge cgroup chain comment comp constant continue counter cpu create ct day dccp
define delete describe destroy device devices dnat drop dst dup dynamic ecn element elements eq esp ether exists
expires export exthdr fib flags flow flowtable flush frag fwd geneve get goto gre gretap gt handle hbh hook hour
ibriport ibrname icmp icmpv6 igmp iif iifgroup iifname iiftype import include index inet insert interval ip ip6
ipsec jhash jump last limit list log lshift lt map mark masquerade meta meter mh missing monitor netdev nftrace
not notrack numgen obriport obrname offload oif oifgroup oifname oiftype or osf pkttype policy position priority
queue quota random redefine redirect reject rename replace reset return rshift rt rt0 rt2 rtclassid rule ruleset
sctp secmark set size skgid skuid snat socket srh symhash synproxy table tcp th time timeout tproxy type typeof
udp udplite undefine update vlan vmap vxlan xor xt
`
    .trim()
    .split(/\s+/),
);

export function setNameFault(name: string): Said | undefined {
  if (!/^[a-z][a-z0-9_]{0,23}$/.test(name))
    return said('A list is named with a lower-case letter, then letters, digits and underscores, at most 24.');
  if (NFT_WORDS.has(name)) return said('nft keeps this name for itself; choose another, such as my_list.');
  return undefined;
}

/**
 * Writes data/anycast.json: address space that its operators announce from many places at once, by the
 * country a registry gave it to; and data/registered.csv, the same country for space that databases place
 * wrongly. Usage: `node scripts/tables/anycast.ts FEEDS_FOLDER`, with ipverse/rir-ip (CC0; the registries'
 * countries), seligman/aws-ip-ranges (MIT; published by AWS) and hexydec/ip-ranges (MIT) there. The prefixes of an AS number are those
 * that the ASN package knows. Every row below is from the operator's own public description.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { formatPrefix } from '../../src/core/ip/format-address.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import type { NetworkListFile } from '../../src/core/place/network-list.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: node scripts/tables/anycast.ts FEEDS_FOLDER');
const unpacked = (file: string): string => gunzipSync(readFileSync(join(folder, file))).toString('utf8');
const words = (list: string): string[] => list.split(/\s+/).filter((word) => word !== '');

/**
 * AS numbers that serve nothing but anycast DNS, content delivery or protection; the second column is part of
 * the registered name.
 */
// biome-ignore format: a table
const NETWORKS: readonly (readonly [number, string])[] = [
  [12008, 'Vercara'], [399153, 'Vercara'], [399163, 'Vercara'], [12041, 'Afilias'], [207266, 'Afilias'], [21342, 'Akamai'], [398787, 'GoDaddy'], [187, 'DNScast'], [397203, 'VeriSign'], [397207, 'VeriSign'],
  [396605, 'VeriSign'], [36631, 'VeriSign'], [396655, 'VeriSign'], [19836, 'VeriSign'], [1921, 'ipcom'], [29997, 'Vitalwerks'], [203391, 'Cloud DNS'], [205157, 'Daniel Cid'], [55195, 'CIRA'], [394354, 'CIRA'],
  [396501, 'CIRA'], [208414, 'WEDOS'], [64089, 'DNSFilter'], [42909, 'Community DNS'], [394353, 'B.Root'], [212772, 'AdGuard'], [200070, 'CZ.NIC'], [47037, 'ScoutDNS'], [57926, 'SafeDNS'], [2484, 'AFNIC'],
  [60890, 'CentralNic'], [203961, 'CentralNic'], [199330, 'CentralNic'], [201303, 'CentralNic'], [201304, 'CentralNic'], [204055, 'CentralNic'], [61005, 'OpenTLD'], [19039, 'DurableDNS'], [62406, 'DNScale'],
  [19281, 'Quad9'], [34939, 'nextdns'], [398962, 'CONTROLD'], [30148, 'Sucuri'], [64199, 'TCPShield'], [209671, 'Qrator'], [211112, 'Qrator'], [200325, 'BUNNYWAY'], [205585, 'Arvan'], [8068, 'Microsoft'],
  [20144, 'ICANN|Internet Corporation'], [25152, 'RIPE|Reseaux'], [7500, 'M-ROOT|WIDE|JPRS'],
];

/**
 * Front ends that take connections everywhere. The space from which Cloudflare and Fastly themselves connect
 * has a place and is not here.
 */
const FRONT_ENDS = words(`104.16.0.0/13 104.24.0.0/14 172.64.0.0/14 188.114.96.0/20 190.93.240.0/20 2606:4700::/32
  151.101.0.0/16 199.232.0.0/16 146.75.0.0/17 167.82.0.0/17 2a04:4e40::/32 2a04:4e42::/32`);

/** Public resolvers and the thirteen root servers, with the prefix each is announced in. */
const NAME_SERVERS =
  words(`8.8.8.0/24 8.8.4.0/24 2001:4860:4860::/48 1.1.1.0/24 1.0.0.0/24 9.9.9.0/24 149.112.112.0/24 2620:fe::/48 208.67.222.0/24 208.67.220.0/24 2620:119:35::/48 2620:119:53::/48
  223.5.5.0/24 119.29.29.0/24 94.140.14.0/24 94.140.15.0/24 2a10:50c0::/48 64.6.64.0/24 64.6.65.0/24 185.228.168.0/24 185.228.169.0/24 76.76.2.0/24 76.76.10.0/24 45.90.28.0/24 45.90.30.0/24
  156.154.70.0/24 156.154.71.0/24 74.82.42.0/24
  198.41.0.0/24 170.247.170.0/24 192.33.4.0/24 199.7.91.0/24 192.203.230.0/24 192.5.5.0/24 192.112.36.0/24 198.97.190.0/24 192.36.148.0/24 192.58.128.0/24 193.0.14.0/24 199.7.83.0/24 202.12.27.0/24
  2001:503:ba3e::/48 2801:1b8:10::/48 2001:500:2::/48 2001:500:2d::/48 2001:500:a8::/48 2001:500:2f::/48 2001:500:12::/48 2001:500:1::/48 2001:7fe::/33 2001:503:c27::/48 2001:7fd::/32 2001:500:9f::/48 2001:dc3::/32`);

/** A prefix or range as whole numbers. */
interface Range {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}
const SIZE = { 4: 32n, 6: 128n } as const;
const numberOf = ({
  family,
  w0,
  w1,
  w2,
  w3,
}: {
  family: 4 | 6;
  w0: number;
  w1: number;
  w2: number;
  w3: number;
}): bigint =>
  family === 4 ? BigInt(w0) : (BigInt(w0) << 96n) | (BigInt(w1) << 64n) | (BigInt(w2) << 32n) | BigInt(w3);
function rangeOf(text: string): Range {
  const prefix = parsePrefix(text);
  if (prefix === undefined) throw new Error(`${text} is not a prefix`);
  const first = numberOf(prefix);
  return { family: prefix.family, first, last: first + (1n << (SIZE[prefix.family] - BigInt(prefix.bits))) - 1n };
}
function textOf(family: 4 | 6, first: bigint, bits: number): string {
  const word = (shift: bigint): number => Number((first >> shift) & 0xffff_ffffn);
  return family === 4
    ? formatPrefix({ family, w0: Number(first), w1: 0, w2: 0, w3: 0, bits })
    : formatPrefix({ family, w0: word(96n), w1: word(64n), w2: word(32n), w3: word(0n), bits });
}
/** The fewest prefixes that make up a range. */
function prefixesOf({ family, first, last }: Range): string[] {
  const texts: string[] = [];
  for (let at = first; at <= last; ) {
    let host = 0n;
    while (host < SIZE[family] && (at & (1n << host)) === 0n && at + (1n << (host + 1n)) - 1n <= last) host++;
    texts.push(textOf(family, at, Number(SIZE[family] - host)));
    at += 1n << host;
  }
  return texts;
}

const ranges: Range[] = [...FRONT_ENDS, ...NAME_SERVERS].map(rangeOf);
const aws = JSON.parse(unpacked('feeds/current/cloud/aws-ip-ranges.json.gz')) as {
  prefixes: { ip_prefix: string; service: string }[];
  ipv6_prefixes: { ipv6_prefix: string; service: string }[];
};
for (const { ip_prefix, service } of aws.prefixes) if (service === 'GLOBALACCELERATOR') ranges.push(rangeOf(ip_prefix));
for (const { ipv6_prefix, service } of aws.ipv6_prefixes)
  if (service === 'GLOBALACCELERATOR') ranges.push(rangeOf(ipv6_prefix));

/**
 * AS numbers whose space a registry places better than DB-IP, by an independent database of IPv4: of Amazon and
 * Microsoft, outside the ranges that they publish with a region, of Alibaba without AS45102, and Akamai's.
 */
const REGISTERED = new Set([7224, 8987, 14618, 16509, 62785, 20940, 3598, 8070, 8075, 12076, 35106, 37963, 134963]);
const azure = unpacked('feeds/current/cloud/hexydec-datacentres.csv.gz').matchAll(/^"Microsoft[^"]*",([\d.]+\/\d+),/gm);
const published = merged(
  [...aws.prefixes.map(({ ip_prefix }) => ip_prefix), ...[...azure].map(([, text]) => text!)].map(rangeOf),
);
const registered: Range[] = [];

const expected = new Map(NETWORKS);
const refused = new Set(expected.keys());
for (const file of ['asn-ipv4.csv', 'asn-ipv6.csv'])
  for (const line of readFileSync(
    new URL(`../../node_modules/@ip-location-db/asn/${file}`, import.meta.url),
    'utf8',
  ).split('\n')) {
    const [, from, to, asn, name] = /^([^,]*),([^,]*),(\d+),"?([^"]*)"?$/.exec(line.trim()) ?? [];
    if (REGISTERED.has(Number(asn)) && file === 'asn-ipv4.csv') {
      const first = parseAnyAddress(from!)!;
      const last = numberOf(parseAnyAddress(to!)!);
      registered.push(...without({ family: first.family, first: numberOf(first), last }, published));
    }
    const pattern = expected.get(Number(asn));
    if (pattern === undefined || !new RegExp(pattern, 'i').test(name!)) continue;
    refused.delete(Number(asn));
    const first = parseAnyAddress(from!)!;
    ranges.push({ family: first.family, first: numberOf(first), last: numberOf(parseAnyAddress(to!)!) });
  }

/** Space of the registries, by first address; the ranges do not overlap. */
const given: Record<4 | 6, (Range & { readonly country: string })[]> = { 4: [], 6: [] };
for (const line of unpacked('geo/special/rir-allocated-2026-02-01.tsv.gz').split('\n')) {
  const [country, text] = line.split('\t');
  if (text === undefined || !/^[A-Z]{2}$/.test(country!)) continue;
  const range = rangeOf(text);
  given[range.family].push({ ...range, country: country! });
}
for (const family of [4, 6] as const) given[family].sort((a, b) => (a.first < b.first ? -1 : 1));
function countriesOf(range: Range): (Range & { readonly country: string })[] {
  return given[range.family]
    .filter((row) => row.first <= range.last && range.first <= row.last)
    .map((row) => ({
      ...row,
      first: row.first < range.first ? range.first : row.first,
      last: row.last > range.last ? range.last : row.last,
    }));
}

/** Neighbouring and overlapping ranges as one. */
function merged(parts: readonly Range[]): Range[] {
  const whole: Range[] = [];
  for (const part of parts.toSorted((a, b) => a.family - b.family || (a.first < b.first ? -1 : 1))) {
    const before = whole.at(-1);
    if (before?.family !== part.family || part.first > before.last + 1n) whole.push(part);
    else if (part.last > before.last) whole[whole.length - 1] = { ...before, last: part.last };
  }
  return whole;
}
/** Returns the rest of a range outside others, which are merged. */
function without(range: Range, others: readonly Range[]): Range[] {
  const left: Range[] = [];
  let first = range.first;
  for (const other of others) {
    if (other.family !== range.family || other.last < first || other.first > range.last) continue;
    if (other.first > first) left.push({ ...range, first, last: other.first - 1n });
    first = other.last + 1n;
  }
  return first > range.last ? left : [...left, { ...range, first }];
}
/** Prefixes of the ranges by the country they were given to, countries in order. */
function byCountry(all: readonly Range[]): readonly (readonly [country: string, prefixes: readonly string[]])[] {
  const parts = new Map<string, Range[]>();
  // Continent-wide codes of the registries are not countries.
  for (const range of all)
    for (const { country, ...part } of countriesOf(range))
      if (country !== 'EU' && country !== 'AP' && country !== 'ZZ')
        parts.set(country, [...(parts.get(country) ?? []), part]);
  return [...parts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([country, its]) => [country, merged(its).flatMap(prefixesOf)]);
}

const lists: NetworkListFile[] = byCountry(ranges).map(([country, prefixes]) => ({
  id: `anycast-${country.toLowerCase()}`,
  version: '2026-08-22',
  effect: { anycast: true, country },
  prefixes,
}));
const rows = byCountry(merged(registered)).flatMap(([country, prefixes]) =>
  prefixes.map((prefix) => `${prefix},${country}`),
);
writeFileSync(new URL('../../data/registered.csv', import.meta.url), `network,country\n${rows.join('\n')}\n`);
writeFileSync(
  new URL('../../data/anycast.json', import.meta.url),
  `{"generated": "by scripts/tables/anycast.ts, never edited by hand",
  "origin": "own rows from the operators’ public descriptions (CC0); seligman/aws-ip-ranges, published by AWS (MIT); countries of registration: ipverse/rir-ip (CC0); prefixes of AS numbers: @ip-location-db/asn (CC BY 4.0)",
  "lists": [
${lists.map((list) => `    ${JSON.stringify(list)}`).join(',\n')}
  ]
}
`,
);
if (refused.size > 0)
  process.stderr.write(`refused, not announced under the expected name: ${[...refused].join(', ')}\n`);
process.stdout.write(`${lists.map((list) => `${list.id} ${list.prefixes!.length}`).join(', ')}\n`);

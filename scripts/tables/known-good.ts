/**
 * Writes data/known-good.json, addresses that lists alone must never make more than low, and
 * data/known-scanners.json, addresses of research scanners: each list with its subject, the place of its
 * content and its day. A listed prefix keeps its dates: a prefix that has gone gets the day of this run as
 * its end, a new one as its beginning, so that no answer about the past changes. A new list begins with the day of
 * its content. Usage: `node scripts/tables/known-good.ts FEEDS_FOLDER CHECKOUTS_FOLDER
 * YYYY-MM-DD` after scripts/tables/network-prefixes.ts; the date is that of the run. FEEDS_FOLDER holds
 * `feeds/current/vpn/egress-ip-ranges.csv` as Apple publishes it, or the copy `icloud-private-relay.txt.gz`,
 * and `geo/special/shadowwhisperer-DNS.csv`; CHECKOUTS_FOLDER holds `misp-warninglists`
 * (MISP/misp-warninglists), `rza` (kidmin/rza), `internet-scanners` (OpenFilters/internet-scanners) and
 * `dnscrypt-resolvers` (DNSCrypt/dnscrypt-resolvers) at the commits below.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { CATALOGUE } from '../../src/adapters/feeds/catalogue.ts';
import type { KnownGoodList } from '../../src/adapters/layers/known-good.ts';
import { formatPrefix } from '../../src/core/ip/format-address.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { parsePrefix, prefixesOfRange } from '../../src/core/ip/prefix.ts';
import { compilePeriods, PrefixPeriods } from '../../src/core/ip/prefix-periods.ts';
import type { NetworkListFile } from '../../src/core/place/network-list.ts';
import { unixMs } from '../../src/core/units.ts';
import { collapsePrefixes } from './collapse-prefixes.ts';

const [, , feeds, checkouts, today] = process.argv;
if (feeds === undefined || checkouts === undefined || !/^\d{4}-\d\d-\d\d$/.test(today ?? ''))
  throw new Error('usage: node scripts/tables/known-good.ts FEEDS_FOLDER CHECKOUTS_FOLDER YYYY-MM-DD');
const read = (path: string): string => {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
};
const linesOf = (path: string): string[] =>
  read(path)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

type Service = Omit<KnownGoodList, 'from' | 'until'>;

/**
 * Origins named in data/network-prefixes.json, and where their prefixes were read: a copy at a commit,
 * or a page and the day of its content.
 */
const COPIES: Readonly<Record<string, string>> = {
  'hexydec/ip-ranges': 'github.com/hexydec/ip-ranges output/crawlers.csv @8634da84ce86',
  'lord-alfred/ipranges': 'github.com/lord-alfred/ipranges @14dd971b1875',
  'published by Amazon, copied by hyperwatch/hyperwatch': 'github.com/hyperwatch/hyperwatch src/data @69d6c9a',
  'seligman/aws-ip-ranges, published by AWS': 'github.com/seligman/aws-ip-ranges ip-ranges.json @84688115d106',
};
const PAGES: Readonly<Record<string, string>> = {
  'anthropic-bots': 'https://claude.com/crawling/bots.json',
  'anthropic-egress': 'https://platform.claude.com/docs/en/api/ip-addresses',
};

const published = (
  JSON.parse(readFileSync(new URL('../../data/network-prefixes.json', import.meta.url), 'utf8')) as {
    lists: readonly (NetworkListFile & {
      readonly origin: string;
      readonly licence: string;
      readonly prefixes: readonly string[];
    })[];
  }
).lists;

/** Crawlers that say where they come from, and the front ends of CloudFront. */
const crawlers = published
  .filter(({ id, effect }) => effect.crawler === true || id === 'cdn-cloudfront')
  .map(({ id, version, origin, licence, prefixes }): Service => {
    const feed = CATALOGUE.find((known) => known.id === id);
    const copy = COPIES[origin];
    const page = PAGES[id];
    if (copy === undefined && page === undefined)
      throw new Error(`${id}: nothing says where ${JSON.stringify(origin)} was read`);
    const what =
      id === 'cdn-cloudfront'
        ? 'content delivery: Amazon CloudFront'
        : `crawler: ${feed?.title ?? id.replace('crawler-', '')}`;
    return {
      id,
      what,
      source: page ?? (feed?.url ? `${feed.url}, copied at ${copy}` : copy!),
      seen: version,
      licence,
      prefixes,
    };
  });

interface WarningList {
  readonly name: string;
  readonly version: number;
  readonly list: readonly string[];
}
const warningList = (name: string): WarningList =>
  JSON.parse(read(join(checkouts, 'misp-warninglists/lists', name, 'list.json'))) as WarningList;
/** A list of MISP/misp-warninglists, which states the day it was made from its publisher's page. */
function misp(
  id: string,
  what: string,
  name: string,
  page: string,
  keep: (prefix: string) => boolean = () => true,
): Service {
  const { version, list } = warningList(name);
  const seen = String(version).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
  const source = `${page}, copied at github.com/MISP/misp-warninglists lists/${name}/list.json @84f0610aaf3b`;
  return { id, what, source, seen, licence: 'CC0-1.0', prefixes: list.filter(keep) };
}
/** Wide ranges that a mail domain names as its senders may hold more than mail. */
const isNarrow = (prefix: string): boolean => {
  const [address, bits] = prefix.split('/') as [string, string?];
  return bits === undefined || Number(bits) > (address.includes(':') ? 47 : 19);
};
/** Prefixes of GitHub itself and its Pages; the rest of its list is rented from a cloud. */
const GITHUB = new Set([
  '185.199.108.0/22',
  '192.30.252.0/22',
  '140.82.112.0/20',
  '143.55.64.0/20',
  '2a0a:a440::/29',
  '2606:50c0::/32',
]);

const zone = linesOf(join(checkouts, 'rza/root.zone')).map((line) => line.split(/\s+/));
const ZONE_SEEN = '2026-08-22';
/** Addresses that the root zone gives for the name servers whose name fits. */
const glue = (id: string, what: string, fits: (name: string) => boolean): Service => ({
  id,
  what,
  source:
    'https://www.internic.net/domain/root.zone, serial 2026082201, copied at github.com/kidmin/rza root.zone @f2b593c784678a86',
  seen: ZONE_SEEN,
  licence: 'facts',
  prefixes: [
    ...new Set(
      zone.flatMap(([name, , , type, address]) =>
        /^A(AAA)?$/.test(type ?? '') && fits(name!.toLowerCase()) ? [address!] : [],
      ),
    ),
  ],
});
const isRoot = (name: string): boolean => name.endsWith('.root-servers.net.');
const isGtld = (name: string): boolean => name.endsWith('.gtld-servers.net.');

/**
 * Resolvers that anybody may ask and whose operator is known, as ShadowWhisperer/IPs lists them, and those of
 * data/network-prefixes.json that a list of MISP confirms.
 */
const OPERATORS = new Set(
  'AdGuard,AliDNS,ByteDance,CIRA Canadian Shield,CZ.NIC ODVR,CleanBrowsing,CloudFlare,Comodo Cybersecurity,Control D,Dyn,Google,Hurricane Electric,Level 3,Neustar,NextDNS,OpenDNS,Quad 101,Quad9,Tencent,Verisign,Yandex'.split(
    ',',
  ),
);
const NORDVPN_RESOLVERS = ['103.86.96.100', '103.86.99.100'];
function resolvers(): Service {
  const rows = linesOf(join(feeds!, 'geo/special/shadowwhisperer-DNS.csv')).map((line) => line.split(','));
  const seenThere = new Set([
    ...rows.map(([address]) => address),
    ...warningList('public-dns-v4').list,
    ...warningList('public-dns-v6').list,
  ]);
  const named = [...published.find(({ id }) => id === 'dns-resolvers')!.prefixes, ...NORDVPN_RESOLVERS];
  const own = named.filter((prefix) => seenThere.has(prefix));
  const listed = rows.flatMap(([address, operator]) => (OPERATORS.has(operator ?? '') ? [address!] : []));
  return {
    id: 'dns-resolvers',
    what: 'public resolvers',
    source:
      'github.com/ShadowWhisperer/IPs Lists/DNS.csv @9624c88e74d9; github.com/MISP/misp-warninglists lists/public-dns-v4/list.json and public-dns-v6 @84f0610aaf3b',
    seen: '2026-08-07',
    licence: 'Unlicense; CC0-1.0',
    prefixes: [...new Set([...own, ...listed])],
  };
}

/**
 * Addresses in the stamps of a list of resolvers: a byte of the protocol (1 to 4: DNSCrypt, DoH, DoT, DoQ),
 * eight of properties, one of length, then `address[:port]`.
 */
function dnscryptResolvers(): Service {
  const known = new Set(resolvers().prefixes);
  const text = read(join(checkouts!, 'dnscrypt-resolvers/v3/public-resolvers.md'));
  const addresses = [...text.matchAll(/sdns:\/\/([\w-]+)/g)].flatMap(([, stamp]) => {
    const bytes = Buffer.from(stamp!, 'base64url');
    const host = bytes.subarray(10, 10 + bytes[9]!).toString();
    const address = /^\[(.+)\]/.exec(host)?.[1] ?? host.replace(/:\d+$/, '');
    return bytes[0]! >= 1 && bytes[0]! <= 4 && parseAnyAddress(address) !== undefined ? [address] : [];
  });
  return {
    id: 'dns-dnscrypt',
    what: 'public resolvers: DNSCrypt and DNS over HTTPS',
    source: 'github.com/DNSCrypt/dnscrypt-resolvers v3/public-resolvers.md @24795a191784',
    seen: '2026-07-24',
    licence: 'facts',
    prefixes: addresses.filter((address) => !known.has(address)),
  };
}

/**
 * Research scanners that say who they are: their published ranges where they publish any, else addresses by
 * their reverse names or their probes. Each with the day of its content, the publisher's page, and lists of
 * MISP/misp-warninglists (CC0-1.0) and OpenFilters/internet-scanners (Unlicense).
 */
type Scanner = readonly [
  id: string,
  name: string,
  seen: string,
  page: string,
  misp: readonly string[],
  filters: readonly string[],
];
// biome-ignore format: a table
const NAMED: readonly Scanner[] = [
  ['alpha-strike', 'Alpha Strike Labs', '2026-08-10', '', ['alphastrike-scanning', 'alphastrike-research-nt-scanning'], []],
  ['binaryedge', 'BinaryEdge', '2026-06-12', 'https://api.binaryedge.io/v1/minions', [], ['binaryedge_v4']],
  ['bitsight', 'BitSight, Internet Census Group', '2026-08-10', '', ['internet-census-nt-scanning'], []],
  ['censys', 'Censys', '2026-03-29', 'https://docs.censys.com/docs/opt-out-of-data-collection', [], ['censys_v4', 'censys_v6']],
  ['coalition', 'Coalition', '2026-08-10', '', ['coalition-signals-intelligence-nt-scanning'], []],
  ['criminal-ip', 'Criminal IP', '2025-11-20', '', [], ['criminalip_v4']],
  ['driftnet', 'Driftnet', '2025-11-20', 'https://internet-measurement.com/#ips', [], ['driftnet_v4', 'driftnet_v6']],
  ['modat', 'Modat', '2026-08-11', 'https://scanner.modat.io/ipv4.txt', ['modat-scanner'], []],
  ['onyphe', 'Onyphe', '2026-08-11', 'https://probe.onyphe.net/ip-ranges.txt', ['onyphe-scanner'], []],
  ['others', 'others that CIRCL names research scanners', '2026-08-10', '', ['research-scanner-nt-scanning'], []],
  ['rapid7', 'Rapid7 Project Sonar', '2026-06-12', 'https://opendata.rapid7.com/about/', [], ['rapid7_v4', 'rapid7_v6']],
  ['shadowserver', 'Shadowserver', '2026-07-08', '', ['shadowserver', 'shadowserver-nt-scanning'], ['shadowserver_v4', 'shadowserver_v6']],
  ['shodan', 'Shodan', '2026-08-10', '', ['shodan-scanning', 'shodan-nt-scanning'], ['shodan_v4', 'shodan_v6']],
  ['stretchoid', 'Stretchoid', '2026-08-10', '', ['stretchoid-nt-scanning'], []],
  ['universities', 'universities', '2026-04-01', '', [], ['universities_v4', 'universities_v6']],
  ['xpanse', 'Palo Alto Networks Cortex Xpanse', '2026-06-12', 'https://docs-cortex.paloaltonetworks.com/r/1/Cortex-Xpanse/Scanning-activity', [], ['paloaltonetworks_v4', 'paloaltonetworks_v6']],
];
const named = new Set(NAMED.flatMap(([, , , , misp]) => misp));
/** Every other list of scanners that the checkout has: a set of its own. */
const others = readdirSync(join(checkouts, 'misp-warninglists/lists'))
  .filter((list) => /-scann(ing|er)$/.test(list) && !named.has(list))
  .map((list): Scanner => {
    const { name, version } = warningList(list);
    const [, year, month, day] = /^(?:20)?(\d\d)(\d\d)(\d\d)/.exec(String(version)) ?? [undefined, '26', '08', '20'];
    const who = name.replace(/^List of published IP address ranges for /, '').replace(/ (IP[ -].*|scanners?)$/i, '');
    return [`misp-${list.replace(/-scann(ing|er)$/, '')}`, who, `20${year}-${month}-${day}`, '', [list], []];
  });
const scanners = [...NAMED, ...others].map(([id, name, seen, page, misp, filters]): Service => {
  const copies = [
    ...misp.map((list) => `github.com/MISP/misp-warninglists lists/${list}/list.json @84f0610aaf3b`),
    ...filters.map((list) => `github.com/OpenFilters/internet-scanners cidr/${list}.txt @4780a180b01e`),
  ].join('; ');
  return {
    id: `scanner-${id}`,
    what: `research scanner: ${name}`,
    source: page === '' ? copies : `${page}, copied at ${copies}`,
    seen,
    licence: [...(misp.length > 0 ? ['CC0-1.0'] : []), ...(filters.length > 0 ? ['Unlicense'] : [])].join('; '),
    prefixes: [
      ...misp.flatMap((list) => warningList(list).list),
      ...filters.flatMap((list) => linesOf(join(checkouts!, `internet-scanners/cidr/${list}.txt`))),
    ],
  };
});

/** Prefixes of the AS of Canonical, in the table of AS numbers that is installed with the project. */
function canonical(): Service {
  const folder = join(import.meta.dirname, '../../node_modules/@ip-location-db/asn');
  const rows = ['asn-ipv4.csv', 'asn-ipv6.csv'].flatMap((file) =>
    linesOf(join(folder, file)).map((line) => line.split(',')),
  );
  const version = (JSON.parse(read(join(folder, 'package.json'))) as { readonly version: string }).version;
  const [, year, month, day] = /\.(\d{4})(\d\d)(\d\d)\d*$/.exec(version) ?? [];
  return {
    id: 'canonical',
    what: 'operating-system mirrors: networks of Canonical (Ubuntu)',
    source: `npm @ip-location-db/asn ${version}, origin AS41231`,
    seen: `${year}-${month}-${day}`,
    licence: 'CC-BY-4.0',
    prefixes: rows.flatMap(([first, last, asn]) =>
      asn === '41231' ? prefixesOfRange(parseAnyAddress(first!)!, parseAnyAddress(last!)!).map(formatPrefix) : [],
    ),
  };
}

const relayFile = ['egress-ip-ranges.csv', 'icloud-private-relay.txt.gz']
  .map((file) => join(feeds!, 'feeds/current/vpn', file))
  .find((path) => existsSync(path));
if (relayFile === undefined) throw new Error('no file of private-relay ranges');

/**
 * Space that a company serves from itself and rents to none. Google: prefixes of goog.json outside
 * cloud.json, still in the newer copy at github.com/lord-alfred/ipranges google/ipv4_merged.txt @03f822f00683
 * and ipv6_merged.txt @261be1e1a389, without 34.0.0.0/8 and 35.0.0.0/8, in which the cloud grows, without its
 * resolvers, which have a list of their own, and of 2001:4860::/32 the time servers alone. It holds
 * time.google.com (216.239.35.0, .4, .8, .12 and 2001:4860:4806::/48). Apple: the range that its page asks
 * others to let in, in space that AS714 announces.
 */
const FRONT_ENDS: readonly Service[] = [
  {
    id: 'google',
    what: 'front ends: Google, its time servers among them',
    source:
      'https://www.gstatic.com/ipranges/goog.json, copied at github.com/iknowjason/edge csp-files/goog.json @267fea54fc21; less cloud.json, copied at github.com/MISP/misp-warninglists lists/google-gcp/list.json @018f958163de',
    seen: '2023-11-08',
    licence: 'facts',
    prefixes:
      '64.15.112.0/20 64.233.160.0/19 66.102.0.0/20 66.249.64.0/19 70.32.128.0/19 72.14.192.0/18 74.114.24.0/21 74.125.0.0/16 104.237.160.0/19 108.170.192.0/18 108.177.0.0/17 142.250.0.0/15 172.110.32.0/21 172.217.0.0/16 172.253.0.0/16 173.194.0.0/16 192.178.0.0/15 193.186.4.0/24 199.36.154.0/23 199.36.156.0/24 207.223.160.0/20 208.65.152.0/22 208.68.108.0/22 208.81.188.0/22 208.117.224.0/19 209.85.128.0/17 216.58.192.0/19 216.73.80.0/20 216.239.32.0/19 2001:4860:4806::/48 2404:6800::/32 2404:f340::/32 2606:73c0::/32 2607:f8b0::/32 2620:11a:a000::/40 2620:120:e000::/40 2800:3f0::/32 2a00:1450::/32 2c0f:fb50::/32'.split(
        ' ',
      ),
  },
  {
    id: 'apple',
    what: 'front ends: Apple, its time servers among them',
    source:
      'https://developer.apple.com/documentation/applepayontheweb/setting-up-your-server, and AS714 of the list copied at github.com/MISP/misp-warninglists lists/apple-ipv4/list.json @fdaa78515aca',
    seen: '2026-08-29',
    licence: 'facts',
    prefixes: ['17.253.0.0/16'],
  },
];

const services: readonly Service[] = [
  ...crawlers,
  {
    id: 'apple-private-relay',
    what: 'private relay: iCloud Private Relay egress',
    source:
      'https://mask-api.icloud.com/egress-ip-ranges.csv, copied at github.com/hroost/icloud-private-relay-iplist ip-ranges.txt @16f49afc1896',
    seen: '2026-08-17',
    licence: 'MIT',
    prefixes: linesOf(relayFile).map((line) => line.split(',')[0]!),
  },
  misp('cdn-bunny', 'content delivery: bunny.net', 'bunny-net', 'https://bunnycdn.com/api/system/edgeserverlist'),
  misp('cdn-cloudflare', 'content delivery: Cloudflare', 'cloudflare', 'https://www.cloudflare.com/ips/'),
  misp('cdn-fastly', 'content delivery: Fastly', 'fastly', 'https://api.fastly.com/public-ip-list'),
  misp('github', 'GitHub and GitHub Pages', 'github', 'https://api.github.com/meta', (prefix) => GITHUB.has(prefix)),
  misp('wikimedia', 'Wikimedia projects', 'wikimedia', 'https://wikitech.wikimedia.org/wiki/IP_and_AS_allocations'),
  misp('mail-gmail', 'mail: senders of Gmail', 'google-gmail-sending-ips', 'https://support.google.com/a/answer/27642'),
  misp(
    'mail-microsoft',
    'mail: Microsoft 365',
    'microsoft-office365-ip',
    'https://endpoints.office.com/endpoints/worldwide',
  ),
  misp(
    'mail-senders',
    'mail: senders that 158 large mail domains name in DNS (SPF), /20 or narrower',
    'smtp-sending-ips',
    'SPF records in DNS',
    isNarrow,
  ),
  misp(
    'mail-receivers',
    'mail: receivers of 158 large mail domains in DNS (MX)',
    'smtp-receiving-ips',
    'MX records in DNS',
  ),
  glue('dns-roots', 'root name servers', isRoot),
  glue('dns-gtld', 'name servers of .com and .net', isGtld),
  glue('dns-tld', 'name servers of the other top-level domains', (name) => !isRoot(name) && !isGtld(name)),
  resolvers(),
  dnscryptResolvers(),
  {
    id: 'ntp',
    what: 'time servers of NIST',
    source:
      'https://tf.nist.gov/tf-cgi/servers.cgi, copied at github.com/mcavallo-git/Coding networking/ntp-servers.sh @e0bcf522d8fe',
    seen: '2024-04-10',
    licence: 'facts',
    prefixes: ['129.6.15.28', '132.163.96.1', '132.163.97.1', '128.138.140.44'],
  },
  canonical(),
  ...FRONT_ENDS,
];

write('known-good', services);
// A machine in the space that a known service publishes is that service's.
const inService = new PrefixPeriods(
  compilePeriods(
    services.flatMap((set) =>
      collapsePrefixes(set.prefixes).map((text) => ({ prefix: parsePrefix(text)!, from: unixMs(0), held: set })),
    ),
  ),
);
write(
  'known-scanners',
  scanners.map((list) => ({
    ...list,
    prefixes: list.prefixes.filter((text) => inService.find(parsePrefix(text)!, unixMs(0)) === undefined),
  })),
);

function write(table: string, content: readonly Service[]): void {
  const path = new URL(`../../data/${table}.json`, import.meta.url);
  const before = existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as { lists: readonly KnownGoodList[] }).lists
    : undefined;
  const current = content.map((service) => ({ ...service, prefixes: collapsePrefixes(service.prefixes) }));

  /** An earlier prefix stays with its dates; a removed one ends today. */
  const kept = (before ?? []).flatMap((list): KnownGoodList[] => {
    if (list.until !== undefined) return [list];
    const now = new Set(current.find(({ id }) => id === list.id)?.prefixes);
    const gone = list.prefixes.filter((prefix) => !now.has(prefix));
    return [
      { ...list, prefixes: list.prefixes.filter((prefix) => now.has(prefix)) },
      { ...list, until: today!, prefixes: gone },
    ];
  });
  const added = current.map((service): KnownGoodList => {
    const held = new Set(
      kept.filter(({ id, until }) => id === service.id && until === undefined).flatMap(({ prefixes }) => prefixes),
    );
    return {
      ...service,
      from: before?.some(({ id }) => id === service.id) ? today! : service.seen,
      prefixes: service.prefixes.filter((prefix) => !held.has(prefix)),
    };
  });
  const lists = [...kept, ...added]
    .filter(({ prefixes }) => prefixes.length > 0)
    .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.from < b.from ? -1 : 1));
  const rows = lists.map(({ id, what, from, until, source, seen, licence, prefixes }) =>
    JSON.stringify({ id, what, from, ...(until && { until }), source, seen, licence, prefixes }),
  );
  writeFileSync(
    path,
    `{"generated": "by scripts/tables/known-good.ts, never edited by hand",\n  "lists": [\n    ${rows.join(',\n    ')}\n  ]\n}\n`,
  );
  process.stdout.write(`${table}: ${lists.map((list) => `${list.id} ${list.prefixes.length}`).join(', ')}\n`);
}

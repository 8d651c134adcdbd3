/**
 * Writes data/network-prefixes.json: prefixes that services publish for themselves and that change slowly
 * enough to ship. A crawler's list has the id of the feed that brings newer ones and replaces it; one that no
 * feed brings is called `crawler-…`. Usage: `node scripts/tables/network-prefixes.ts FEEDS_FOLDER
 * HYPERWATCH_FOLDER`, the latter a checkout of hyperwatch/hyperwatch at 69d6c9a. Sources:
 * lord-alfred/ipranges (CC0), hexydec/ip-ranges (MIT), hyperwatch/hyperwatch (Apache-2.0; Amazon's lists),
 * seligman/aws-ip-ranges (MIT, published by AWS), and own lists of public resolvers, root servers, and of the
 * ranges Anthropic, Cloudflare and Fastly publish.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { NetworkListFile } from '../../src/core/place/network-list.ts';

const [, , folder, hyperwatch] = process.argv;
if (folder === undefined || hyperwatch === undefined)
  throw new Error('usage: node scripts/tables/network-prefixes.ts FEEDS_FOLDER HYPERWATCH_FOLDER');
const text = (file: string): string => {
  const bytes = readFileSync(join(folder, file));
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
};
const rows = (file: string): string[] =>
  text(file)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

const CRAWLERS = 'feeds/current/crawler';
const words = (list: string): string[] => list.split(/\s+/).filter((word) => word !== '');
/**
 * Operators of hexydec's list by the feed each stands for, or by a name of its own. Fetchers that run other
 * people's code and uptime monitors are not crawlers.
 */
const HEXYDEC: Readonly<Record<string, string>> = {
  'GoogleBot Common Crawlers': 'googlebot',
  'GoogleBot Special Case Crawlers': 'google-special',
  'GoogleBot User Triggered Fetchers Google': 'google-fetchers',
  'DuckDuck Bot': 'duckduckbot',
  'Meta Crawlers': 'meta-crawlers',
  'Mistral AI': 'mistral-user',
  'Perplexity AI': 'perplexitybot',
  AhrefsBot: 'ahrefsbot',
  AppleBot: 'applebot',
  BingBot: 'bingbot',
  'ChatGPT-User': 'openai-chatgpt-user',
  GPTBot: 'openai-gptbot',
  'OAI-SearchBot': 'openai-searchbot',
  'Add Search Bot': 'crawler-addsearch',
  OnCrawl: 'crawler-oncrawl',
  YandexBot: 'crawler-yandex',
};
const HEXYDEC_VERSION = '2026-08-21';

const crawlers = new Map<
  string,
  { readonly version: string; readonly origin: string; readonly licence: string; readonly prefixes: Set<string> }
>();
const put = (id: string, version: string, origin: string, licence: string, prefixes: readonly string[]): void => {
  const list = crawlers.get(id) ?? { version, origin, licence, prefixes: new Set() };
  for (const prefix of prefixes) list.prefixes.add(prefix);
  crawlers.set(id, list);
};
for (const line of rows(`${CRAWLERS}/hexydec-crawlers.csv.gz`)) {
  const [, quoted, bare, prefix] = /^(?:"([^"]*)"|([^,]*)),([^,]*),/.exec(line) ?? [];
  const id = HEXYDEC[quoted ?? bare ?? ''];
  if (id !== undefined && prefix !== undefined) put(id, HEXYDEC_VERSION, 'hexydec/ip-ranges', 'MIT', [prefix]);
}

/** lord-alfred joins the two files of Perplexity: prefixes that are not PerplexityBot's are Perplexity-User's. */
const ALFRED = 'lord-alfred/ipranges';
const perplexityBot = crawlers.get('perplexitybot')!.prefixes;
put(
  'perplexity-user',
  '2025-10-15',
  ALFRED,
  'CC0-1.0',
  rows(`${CRAWLERS}/perplexity-ipv4.txt`).filter((prefix) => !perplexityBot.has(prefix)),
);
put('duckassistbot', '2026-07-06', ALFRED, 'CC0-1.0', rows(`${CRAWLERS}/duckassistbot-ipv4.txt`));

for (const [id, file] of Object.entries({
  amazonbot: 'amazonbot-ips',
  'amzn-searchbot': 'amazon-searchbot-ips',
  'amzn-user': 'amazon-user-ips',
})) {
  const prefixes = JSON.parse(readFileSync(join(hyperwatch, `src/data/${file}.json`), 'utf8')) as string[];
  put(id, '2026-02-25', 'published by Amazon, copied by hyperwatch/hyperwatch', 'Apache-2.0', prefixes);
}
/**
 * https://claude.com/crawling/bots.json, creationTime 2026-10-02: 28 prefixes, the same in two public copies
 * of that week.
 */
const ANTHROPIC =
  words(`216.73.216.0/22 160.79.106.128/28 160.79.106.16/28 40.124.101.48/28 20.102.46.224/28 20.64.57.208/28 16.58.26.69/32 18.225.238.228/32 18.227.226.255/32
  34.162.230.222/32 34.162.244.71/32 34.162.191.81/32 34.150.241.79/32 34.85.172.162/32 35.245.175.129/32 34.182.222.37/32 34.186.108.163/32 35.245.89.239/32 34.182.161.143/32
  34.182.218.27/32 34.182.220.85/32 34.11.34.31/32 34.182.140.95/32 136.107.176.208/32 34.182.226.151/32 34.182.226.221/32 35.221.29.174/32 34.182.225.167/32`);
put('anthropic-bots', '2026-10-02', 'published by Anthropic', 'facts', ANTHROPIC);
/**
 * https://platform.claude.com/docs/en/api/ip-addresses: where Claude calls tools from. The addresses the page
 * calls phased out are left out.
 */
put('anthropic-egress', '2026-10-06', 'stated in Anthropic’s manual', 'facts', ['160.79.104.0/21']);

const aws = JSON.parse(text('feeds/current/cloud/aws-ip-ranges.json.gz')) as {
  prefixes: { ip_prefix: string; service: string }[];
  ipv6_prefixes: { ipv6_prefix: string; service: string }[];
};
const cloudfront = [
  ...aws.prefixes.filter((row) => row.service === 'CLOUDFRONT').map((row) => row.ip_prefix),
  ...aws.ipv6_prefixes.filter((row) => row.service === 'CLOUDFRONT').map((row) => row.ipv6_prefix),
];

const CLOUDFLARE =
  words(`173.245.48.0/20 103.21.244.0/22 103.22.200.0/22 103.31.4.0/22 141.101.64.0/18 108.162.192.0/18 190.93.240.0/20 188.114.96.0/20 197.234.240.0/22
  198.41.128.0/17 162.158.0.0/15 104.16.0.0/13 104.24.0.0/14 172.64.0.0/13 131.0.72.0/22 2400:cb00::/32 2606:4700::/32 2803:f800::/32 2405:b500::/32 2405:8100::/32 2a06:98c0::/29 2c0f:f248::/32`);
const FASTLY =
  words(`23.235.32.0/20 43.249.72.0/22 103.244.50.0/24 103.245.222.0/23 103.245.224.0/24 104.156.80.0/20 140.248.64.0/18 140.248.128.0/17 146.75.0.0/17 151.101.0.0/16
  157.52.64.0/18 167.82.0.0/17 167.82.128.0/20 167.82.160.0/20 167.82.224.0/20 172.111.64.0/18 185.31.16.0/22 199.27.72.0/21 199.232.0.0/16 2a04:4e40::/32 2a04:4e42::/32`);
/** Public resolvers, as their operators publish them. */
const RESOLVERS =
  words(`8.8.8.8 8.8.4.4 2001:4860:4860::8888 2001:4860:4860::8844 2001:4860:4860::64 2001:4860:4860::6464
  1.1.1.1 1.0.0.1 1.1.1.2 1.0.0.2 1.1.1.3 1.0.0.3 2606:4700:4700::1111 2606:4700:4700::1001 2606:4700:4700::1112 2606:4700:4700::1002 2606:4700:4700::1113 2606:4700:4700::1003 2606:4700:4700::64 2606:4700:4700::6400
  9.9.9.9 9.9.9.10 9.9.9.11 149.112.112.112 149.112.112.9 149.112.112.10 149.112.112.11 2620:fe::fe 2620:fe::9 2620:fe::10 2620:fe::11 2620:fe::fe:10 2620:fe::fe:11
  208.67.222.222 208.67.220.220 208.67.222.220 208.67.220.222 208.67.222.123 208.67.220.123 2620:119:35::35 2620:119:53::53
  114.114.114.114 114.114.115.115 114.114.114.119 114.114.115.119 114.114.114.110 114.114.115.110 223.5.5.5 223.6.6.6 2400:3200::1 2400:3200:baba::1
  119.29.29.29 119.28.28.28 182.254.116.116 182.254.118.118 180.76.76.76 2400:da00::6666 1.2.4.8 210.2.4.8 117.50.10.10 52.80.52.52 101.226.4.6 218.30.118.6
  94.140.14.14 94.140.15.15 94.140.14.15 94.140.15.16 94.140.14.140 94.140.14.141 2a10:50c0::ad1:ff 2a10:50c0::ad2:ff 77.88.8.8 77.88.8.1 77.88.8.88 77.88.8.2 77.88.8.7 77.88.8.3 2a02:6b8::feed:ff 2a02:6b8:0:1::feed:ff
  64.6.64.6 64.6.65.6 156.154.70.1 156.154.71.1 4.2.2.1 4.2.2.2 4.2.2.3 4.2.2.4 4.2.2.5 4.2.2.6 185.228.168.9 185.228.169.9 185.228.168.168 185.228.169.168 185.228.168.10 185.228.169.11
  76.76.2.0 76.76.10.0 45.90.28.0/24 45.90.30.0/24 101.101.101.101 101.102.103.104 168.95.1.1 168.95.192.1 84.200.69.80 84.200.70.40 195.46.39.39 195.46.39.40 74.82.42.42 2001:470:20::2`);
/** The thirteen root servers (root hints file, 2024). */
const ROOTS =
  words(`198.41.0.4 170.247.170.2 192.33.4.12 199.7.91.13 192.203.230.10 192.5.5.241 192.112.36.4 198.97.190.53 192.36.148.17 192.58.128.30 193.0.14.129 199.7.83.42 202.12.27.33
  2001:503:ba3e::2:30 2801:1b8:10::b 2001:500:2::c 2001:500:2d::d 2001:500:a8::e 2001:500:2f::f 2001:500:12::d0d 2001:500:1::53 2001:7fe::53 2001:503:c27::2:30 2001:7fd::1 2001:500:9f::42 2001:dc3::35`);

const VERSION = '2026-08-22';
const lists: NetworkListFile[] = [
  ...[...crawlers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { version, origin, licence, prefixes }]) => ({
      id,
      version,
      effect: { crawler: true } as const,
      prefixes: [...prefixes],
      origin,
      licence,
    })),
  {
    id: 'cdn-cloudfront',
    version: VERSION,
    effect: { usage: 'CDN', hosting: true },
    prefixes: cloudfront,
    origin: 'seligman/aws-ip-ranges, published by AWS',
    licence: 'MIT',
  },
  {
    id: 'cdn-cloudflare',
    version: VERSION,
    effect: { usage: 'CDN', hosting: true },
    prefixes: CLOUDFLARE,
    origin: 'published by Cloudflare',
    licence: 'facts',
  },
  {
    id: 'cdn-fastly',
    version: VERSION,
    effect: { usage: 'CDN', hosting: true },
    prefixes: FASTLY,
    origin: 'published by Fastly',
    licence: 'facts',
  },
  {
    id: 'dns-resolvers',
    version: VERSION,
    effect: { usage: 'DNS' },
    prefixes: RESOLVERS,
    origin: 'own, from the operators’ pages',
    licence: 'CC0-1.0',
  },
  {
    id: 'dns-roots',
    version: VERSION,
    effect: { usage: 'DNS' },
    prefixes: ROOTS,
    origin: 'root hints, IANA',
    licence: 'facts',
  },
];
writeFileSync(
  new URL('../../data/network-prefixes.json', import.meta.url),
  `{"generated": "by scripts/tables/network-prefixes.ts, never edited by hand",
  "lists": [
${lists.map((list) => `    ${JSON.stringify(list)}`).join(',\n')}
  ]
}
`,
);
process.stdout.write(`${lists.map((list) => `${list.id} ${list.prefixes?.length}`).join(', ')}\n`);

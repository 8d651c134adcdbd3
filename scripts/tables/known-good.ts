/**
 * Writes data/known-good.json: addresses that lists alone must never make more than low. What is there already keeps its dates: a prefix that has gone gets the day of this
 * run as its end, a new one as its beginning, so that no answer about the past changes. The first table begins with the version of each list.
 * Usage: `node scripts/tables/known-good.ts FEEDS_FOLDER YYYY-MM-DD` after scripts/tables/network-prefixes.ts; the date is that of the run, the folder holds
 * `feeds/current/vpn/icloud-private-relay.txt.gz` (hroost/icloud-private-relay-iplist, MIT).
 * Sources: data/network-prefixes.json (see there), MISP/misp-warninglists (CC0; Gmail, Microsoft 365), and facts that operators publish about themselves.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { KnownGoodList } from '../../src/adapters/layers/known-good.ts';
import type { NetworkListFile } from '../../src/core/place/network-list.ts';

const [, , folder, today] = process.argv;
if (folder === undefined || !/^\d{4}-\d\d-\d\d$/.test(today ?? '')) throw new Error('usage: node scripts/tables/known-good.ts FEEDS_FOLDER YYYY-MM-DD');
const words = (list: string): string[] => list.split(/\s+/).filter((word) => word !== '');

type Service = Omit<KnownGoodList, 'from' | 'until'> & { readonly version: string };
const VERSION = '2026-08-22';
const own = (id: string, origin: string, prefixes: string): Service => ({ id, version: VERSION, origin, licence: 'facts', prefixes: words(prefixes) });

const published = JSON.parse(readFileSync(new URL('../../data/network-prefixes.json', import.meta.url), 'utf8')) as {
  lists: readonly (NetworkListFile & { readonly origin: string; readonly licence: string })[];
};
const relay = gunzipSync(readFileSync(join(folder, 'feeds/current/vpn/icloud-private-relay.txt.gz'))).toString('utf8');

const services: readonly Service[] = [
  ...published.lists
    .filter(({ id, effect }) => effect.crawler === true || id.startsWith('cdn-') || id.startsWith('dns-'))
    .map(({ id, version, origin, licence, prefixes }) => ({ id, version, origin, licence, prefixes: prefixes ?? [] })),
  { id: 'private-relay', version: '2026-08-17', origin: 'hroost/icloud-private-relay-iplist, published by Apple', licence: 'MIT', prefixes: words(relay) },
  own(
    'dns-gtld',
    'root zone: a to m.gtld-servers.net',
    `192.5.6.30 192.33.14.30 192.26.92.30 192.31.80.30 192.12.94.30 192.35.51.30 192.42.93.30 192.54.112.30 192.43.172.30 192.48.79.30 192.52.178.30 192.41.162.30 192.55.83.30
     2001:503:a83e::2:30 2001:503:231d::2:30 2001:503:83eb::30 2001:500:856e::30 2001:502:1ca1::30 2001:503:d414::30 2001:503:eea3::30 2001:502:8cc::30 2001:503:39c1::30
     2001:502:7094::30 2001:503:d2d::30 2001:500:d937::30 2001:501:b1f9::30`,
  ),
  own(
    'ntp',
    'published by Google, Cloudflare and NIST',
    `216.239.35.0 216.239.35.4 216.239.35.8 216.239.35.12 2001:4860:4806:: 2001:4860:4806:4:: 2001:4860:4806:8:: 2001:4860:4806:c::
     162.159.200.1 162.159.200.123 2606:4700:f1::1 2606:4700:f1::123
     129.6.15.25 129.6.15.26 129.6.15.27 129.6.15.28 129.6.15.29 129.6.15.30 132.163.96.1 132.163.96.2 132.163.96.3 132.163.96.4 132.163.96.6
     132.163.97.1 132.163.97.2 132.163.97.3 132.163.97.4 132.163.97.6`,
  ),
  own('github', 'published by GitHub (api.github.com/meta)', '185.199.108.0/22 192.30.252.0/22 140.82.112.0/20 143.55.64.0/20 2a0a:a440::/29 2606:50c0::/32'),
  own('canonical', 'registered to Canonical: Ubuntu archive and services', '185.125.188.0/22 91.189.88.0/21'),
  {
    ...own(
      'mail-gmail',
      'MISP/misp-warninglists google-gmail-sending-ips, published by Google',
      `108.177.8.0/21 108.177.96.0/19 130.211.0.0/22 172.217.0.0/19 172.217.128.0/19 172.217.160.0/20 172.217.192.0/19 172.217.32.0/20 172.253.112.0/20 172.253.56.0/21 173.194.0.0/16
       2001:4860:4000::/36 209.85.128.0/17 216.239.32.0/19 216.58.192.0/19 2404:6800:4000::/36 2607:f8b0:4000::/36 2800:3f0:4000::/36 2a00:1450:4000::/36 2c0f:fb50:4000::/36
       35.190.247.0/24 35.191.0.0/16 64.233.160.0/19 66.102.0.0/20 66.249.80.0/20 72.14.192.0/18 74.125.0.0/16`,
    ),
    version: '2024-11-04',
    licence: 'CC0-1.0',
  },
  {
    ...own(
      'mail-microsoft',
      'MISP/misp-warninglists microsoft-office365-ip, published by Microsoft: ranges of its mail and office services',
      '40.92.0.0/15 40.107.0.0/16 52.96.0.0/12 104.47.0.0/17 40.96.0.0/13 40.104.0.0/15 132.245.0.0/16 23.103.160.0/20 2a01:111:f400::/48 2a01:111:f402::/47',
    ),
    version: '2024-11-04',
    licence: 'CC0-1.0',
  },
];

const path = new URL('../../data/known-good.json', import.meta.url);
const before = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { lists: readonly KnownGoodList[] }).lists : undefined;

/** What held before stays with its dates; what has gone ends today. */
const kept = (before ?? []).flatMap((list): KnownGoodList[] => {
  if (list.until !== undefined) return [list];
  const now = new Set(services.find(({ id }) => id === list.id)?.prefixes);
  const gone = list.prefixes.filter((prefix) => !now.has(prefix));
  return [
    { ...list, prefixes: list.prefixes.filter((prefix) => now.has(prefix)) },
    { ...list, until: today!, prefixes: gone },
  ];
});
const added = services.map(({ version, ...service }): KnownGoodList => {
  const held = new Set(kept.filter(({ id, until }) => id === service.id && until === undefined).flatMap(({ prefixes }) => prefixes));
  return { ...service, from: before === undefined ? version : today!, prefixes: service.prefixes.filter((prefix) => !held.has(prefix)) };
});
const lists = [...kept, ...added].filter(({ prefixes }) => prefixes.length > 0).sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.from < b.from ? -1 : 1));
const rows = lists.map(({ id, from, until, origin, licence, prefixes }) => JSON.stringify({ id, from, ...(until && { until }), origin, licence, prefixes }));
writeFileSync(path, `{"generated": "by scripts/tables/known-good.ts, never edited by hand",\n  "lists": [\n    ${rows.join(',\n    ')}\n  ]\n}\n`);
process.stdout.write(`${lists.map((list) => `${list.id} ${list.prefixes.length}`).join(', ')}\n`);

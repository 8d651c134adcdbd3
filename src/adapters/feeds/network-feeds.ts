import type { Feed, JsonFormat } from '../../core/feeds/feed.ts';
import {
  csv,
  type FeedRow,
  feedOf,
  GITHUB,
  googleShape,
  ips,
  json,
  MB,
  network,
  offSchedule,
} from './catalogue-columns.ts';
import { CLOUD_REGIONS } from './cloud-regions.ts';

const OPERATOR = { licence: 'published by the operator, no licence stated', redistribution: 'fetch-only' } as const;
const SMALL = { minRows: 1, maxRows: 50_000, maxBytes: 8 * MB } as const;
const CRAWLER = { ...OPERATOR, cadenceMin: 1440, maxAgeHours: 336, bounds: SMALL, format: googleShape } as const;
const CLOUD = { ...OPERATOR, cadenceMin: 1440, maxAgeHours: 336 } as const;
const AWS = [8987, 14618, 16509, 21664, 38895, 55960, 62785, 135629, 135630, 214101, 401395];
const GOOGLE = [15169, 19527, 43515, 139190, 396982];
const MICROSOFT = [8068, 8069, 8075, 12076, 59067];
/** A cloud's list whose `key` names the region of a prefix. */
const regional = (key: string, format: JsonFormat): JsonFormat => ({
  ...format,
  region: { key, places: CLOUD_REGIONS },
});
const geofeed = { kind: 'csv', header: false, ip: 0, country: 1, region: 2, city: 3 } as const;
const LORD = {
  licence: 'CC0-1.0',
  attribution: 'lord-alfred/ipranges',
  redistribution: 'allowed',
  cadenceMin: 1440,
  maxAgeHours: 336,
  bounds: SMALL,
  format: ips,
  ...offSchedule('a copy of the publisher’s own list'),
} as const;
const OPENASN = {
  family: 'openasn',
  licence: 'CC0-1.0',
  attribution: 'OpenASN',
  redistribution: 'allowed',
  cadenceMin: 10_080,
  maxAgeHours: 720,
  bounds: { minRows: 3, maxRows: 5000, maxBytes: 2 * MB },
  format: { kind: 'asns' },
  ...offSchedule('no version since July 2026 is known; the shipped table has its AS numbers'),
} as const;
const OXL = {
  family: 'oxl',
  licence: 'BSD-3-Clause',
  attribution: 'O-X-L risk-db',
  redistribution: 'allowed',
  cadenceMin: 10_080,
  maxAgeHours: 720,
} as const;
const OXL_DEAD = offSchedule('its last known content is of July 2025');
const BGPTOOLS = {
  family: 'bgp.tools',
  licence: 'terms of bgp.tools',
  attribution: 'bgp.tools',
  redistribution: 'fetch-only',
  cadenceMin: 10_080,
  maxAgeHours: 720,
  bounds: { minRows: 3, maxRows: 50_000, maxBytes: 8 * MB },
  format: { kind: 'asns' },
  ...offSchedule('its terms do not clearly allow it'),
} as const;
/**
 * The census names the announced prefix of an address that answered from several places. A wider prefix
 * proves little: a cloud's /11 has one such address.
 */
const ANYCAST_WIDEST = { 4: 20, 6: 40 } as const;
const ANYCAST = {
  family: 'bgp.tools-anycast',
  licence: 'none stated',
  attribution: 'bgp.tools anycast census',
  redistribution: 'fetch-only',
  cadenceMin: 240,
  maxAgeHours: 336,
  format: ips,
} as const;
const CN = {
  family: 'china-operator-ip',
  licence: 'MIT',
  attribution: 'gaoyifan/china-operator-ip',
  redistribution: 'allowed',
  cadenceMin: 1440,
  maxAgeHours: 720,
  bounds: { minRows: 1, maxRows: 50_000, maxBytes: 4 * MB },
  format: ips,
} as const;

const openasn = (name: string, title: string, effect: Parameters<typeof network>[3]): FeedRow => ({
  ...network(`openasn-${name.replaceAll('_', '-')}`, title, 'openasn', effect),
  ...OPENASN,
  url: `${GITHUB}/openasn/openasn/main/data/overrides/${name}.txt`,
  files: [`openasn-${name}.txt`],
});

const bgptools = (tag: string, title: string, effect: Parameters<typeof network>[3]): FeedRow => ({
  ...network(`bgptools-${tag}`, title, 'bgp.tools', effect),
  ...BGPTOOLS,
  url: `https://bgp.tools/tags/${tag}.txt`,
  files: [`bgptools-tag-${tag}.csv`],
});

const lord = (name: string, file: string, title: string): FeedRow => ({
  ...network(`lord-alfred-${name}-${file.slice(-1)}`, title, name, { crawler: true }),
  ...LORD,
  url: `${GITHUB}/lord-alfred/ipranges/main/${name}/${file}.txt`,
  files: [`${name}-${file}.txt`],
});

/**
 * Google's files moved in March 2026, the first under a new name; where the new address gives an error, the
 * old one is asked.
 */
const google = (id: string, title: string, file: string, before = file): FeedRow => ({
  ...network(id, title, 'google', { crawler: true }),
  ...CRAWLER,
  attribution: 'Google',
  url: `https://developers.google.com/static/crawling/ipranges/${file}`,
  alternatives: [`https://developers.google.com/static/search/apis/ipranges/${before}`],
  files: [...new Set([file, before])],
});

/**
 * Amazon's lists are documents within pages; one page names its prefixes as Google does, without a length,
 * another as AWS does.
 */
const amazon = (id: string, title: string, page: string): FeedRow => ({
  ...network(id, title, 'amazon-bot', { crawler: true }),
  ...CRAWLER,
  attribution: 'Amazon',
  url: `https://developer.amazon.com/amazonbot/${page}/`,
  format: {
    kind: 'json',
    paths: [...googleShape.paths, '/prefixes/*/ip_prefix', '/prefixes/*/ipv6_prefix'],
    inPage: true,
  },
  files: [`${id}.json`, `${id}.html`],
});

const operator = (name: string, title: string, effect: Parameters<typeof network>[3], version: 4 | 6): FeedRow => ({
  ...network(`cn-${name}-${version}`, `${title}, IPv${version}`, 'china-operator-ip', effect),
  ...CN,
  url: `${GITHUB}/gaoyifan/china-operator-ip/ip-lists/${name}${version === 4 ? '' : '6'}.txt`,
  files: [`operator-${name}${version}.txt`],
  ...offSchedule(Object.keys(effect).length === 0 ? 'it sets nothing' : 'no version since February 2026 is known'),
});

/**
 * These sources describe networks: they set usage codes and flags and are never evidence. `Feed` explains the
 * columns.
 */
// biome-ignore format: a table
const ROWS: readonly FeedRow[] = [
  // Consumer relays keep ordinary people out of the signal vpn.
  { ...network('apple-private-relay', 'Apple iCloud Private Relay egress', 'apple-relay', { relay: true }), ...OPERATOR, attribution: 'Apple', url: 'https://mask-api.icloud.com/egress-ip-ranges.csv',
    cadenceMin: 1440, maxAgeHours: 336, bounds: { minRows: 5000, maxRows: 1_000_000, maxBytes: 64 * MB }, format: { kind: 'csv', header: false, ip: 0 }, files: ['egress-ip-ranges.csv'] },
  { ...network('icloud-relay-ranges', 'iCloud Private Relay egress, merged', 'apple-relay', { relay: true }), licence: 'MIT', attribution: 'hroost/icloud-private-relay-iplist; Apple', redistribution: 'allowed',
    url: `${GITHUB}/hroost/icloud-private-relay-iplist/main/ip-ranges.txt`, cadenceMin: 1440, maxAgeHours: 720, bounds: { minRows: 2000, maxRows: 500_000, maxBytes: 16 * MB }, format: ips,
    files: ['icloud-private-relay.txt'], ...offSchedule('a copy of the publisher’s own list') },

  google('googlebot', 'Google: common crawlers', 'common-crawlers.json', 'googlebot.json'),
  google('google-special', 'Google: special-case crawlers', 'special-crawlers.json'),
  google('google-fetchers', 'Google: user-triggered fetchers', 'user-triggered-fetchers-google.json'),
  google('google-agents', 'Google: user-triggered agents', 'user-triggered-agents.json'),
  { ...network('bingbot', 'Bing', 'bing', { crawler: true }), ...CRAWLER, attribution: 'Microsoft Bing', url: 'https://www.bing.com/toolbox/bingbot.json', files: ['bingbot.json'], ...offSchedule('hexydec-crawlers has its ranges') },
  { ...network('applebot', 'Applebot', 'apple', { crawler: true }), ...CRAWLER, attribution: 'Apple', url: 'https://search.developer.apple.com/applebot.json', files: ['applebot.json'] },
  { ...network('duckduckbot', 'DuckDuckBot', 'duckduckgo', { crawler: true }), ...CRAWLER, attribution: 'DuckDuckGo', url: 'https://duckduckgo.com/duckduckbot.json', files: ['duckduckbot.json'], ...offSchedule('hexydec-crawlers has its ranges') },
  { ...network('duckassistbot', 'DuckAssistBot', 'duckduckgo', { crawler: true }), ...CRAWLER, attribution: 'DuckDuckGo', url: 'https://duckduckgo.com/duckassistbot.json', files: ['duckassistbot.json'] },
  { ...network('openai-gptbot', 'OpenAI GPTBot', 'openai', { crawler: true }), ...CRAWLER, attribution: 'OpenAI', url: 'https://openai.com/gptbot.json', files: ['gptbot.json'] },
  { ...network('openai-searchbot', 'OpenAI OAI-SearchBot', 'openai', { crawler: true }), ...CRAWLER, attribution: 'OpenAI', url: 'https://openai.com/searchbot.json', files: ['searchbot.json'] },
  { ...network('openai-chatgpt-user', 'OpenAI ChatGPT-User', 'openai', { crawler: true }), ...CRAWLER, attribution: 'OpenAI', url: 'https://openai.com/chatgpt-user.json', files: ['chatgpt-user.json'] },
  { ...network('perplexitybot', 'PerplexityBot', 'perplexity', { crawler: true }), ...CRAWLER, attribution: 'Perplexity', url: 'https://www.perplexity.ai/perplexitybot.json', files: ['perplexitybot.json'] },
  { ...network('perplexity-user', 'Perplexity-User', 'perplexity', { crawler: true }), ...CRAWLER, attribution: 'Perplexity', url: 'https://www.perplexity.ai/perplexity-user.json', files: ['perplexity-user.json'] },
  { ...network('anthropic-bots', 'Anthropic crawlers', 'anthropic', { crawler: true }), ...CRAWLER, attribution: 'Anthropic', url: 'https://claude.com/crawling/bots.json', files: ['anthropic-bots.json'] },
  { ...network('mistral-user', 'MistralAI-User', 'mistral', { crawler: true }), ...CRAWLER, attribution: 'Mistral AI', url: 'https://mistral.ai/mistralai-user-ips.json', files: ['mistralai-user-ips.json'] },
  amazon('amazonbot', 'Amazonbot', 'ip-addresses'), amazon('amzn-searchbot', 'Amzn-SearchBot', 'searchbot-ip-addresses'), amazon('amzn-user', 'Amzn-User', 'live-ip-addresses'),
  { ...network('ahrefsbot', 'AhrefsBot', 'ahrefs', { crawler: true }), ...CRAWLER, attribution: 'Ahrefs', url: 'https://api.ahrefs.com/v3/public/crawler-ip-ranges', files: ['ahrefs-crawler-ip-ranges.json'], ...offSchedule('hexydec-crawlers has its ranges') },
  { ...network('meta-crawlers', 'Meta: networks its crawlers use', 'meta', { crawler: true }), ...OPERATOR, attribution: 'Meta', url: 'https://www.facebook.com/peering/geofeed', cadenceMin: 1440, maxAgeHours: 336,
    bounds: SMALL, format: { kind: 'csv', header: false, ip: 0 }, files: ['meta-geofeed.csv'] },
  { ...network('hexydec-crawlers', 'hexydec: crawlers of 22 operators', 'hexydec', { crawler: true }), licence: 'MIT', attribution: 'hexydec/ip-ranges', redistribution: 'allowed', cadenceMin: 720, maxAgeHours: 336,
    url: `${GITHUB}/hexydec/ip-ranges/main/output/crawlers.csv`, bounds: { minRows: 500, maxRows: 100_000, maxBytes: 16 * MB }, format: { kind: 'csv', header: false, ip: 1 }, files: ['hexydec-crawlers.csv'] },
  { ...network('known-bots', 'sefinek: known bots', 'sefinek', { crawler: true }), licence: 'MIT', attribution: 'sefinek/known-bots-ip-whitelist', redistribution: 'allowed', cadenceMin: 1440, maxAgeHours: 720,
    url: `${GITHUB}/sefinek/known-bots-ip-whitelist/main/lists/all-crawlers-ips.csv`, bounds: { minRows: 2000, maxRows: 200_000, maxBytes: 16 * MB }, format: csv('ip'), files: ['sefinek-all-crawlers-ips.csv'], ...offSchedule('no version since May 2026 is known, and it calls all of Meta crawlers') },
  lord('googlebot', 'ipv4', 'Googlebot, IPv4 (mirror)'), lord('googlebot', 'ipv6', 'Googlebot, IPv6 (mirror)'), lord('bing', 'ipv4', 'Bing, IPv4 (mirror)'), lord('duckduckbot', 'ipv4', 'DuckDuckBot, IPv4 (mirror)'),
  lord('duckassistbot', 'ipv4', 'DuckAssistBot, IPv4 (mirror)'), lord('openai', 'ipv4', 'OpenAI, IPv4 (mirror)'), lord('perplexity', 'ipv4', 'Perplexity, IPv4 (mirror)'),

  { ...network('aws', 'Amazon Web Services', 'aws', { hosting: true, usage: 'IDC' }), ...CLOUD, attribution: 'Amazon', url: 'https://ip-ranges.amazonaws.com/ip-ranges.json', bounds: { minRows: 2000, maxRows: 200_000, maxBytes: 64 * MB },
    format: regional('network_border_group', json('/prefixes/*/ip_prefix', '/ipv6_prefixes/*/ipv6_prefix')), files: ['aws-ip-ranges.json', 'ip-ranges.json'],
    holders: AWS },
  { ...network('aws-cloudfront', 'Amazon CloudFront', 'aws', { hosting: true, usage: 'CDN' }), ...CLOUD, attribution: 'Amazon', url: 'https://ip-ranges.amazonaws.com/ip-ranges.json', bounds: { minRows: 20, maxRows: 10_000, maxBytes: 64 * MB },
    format: json('/prefixes/*[service=CLOUDFRONT]/ip_prefix', '/ipv6_prefixes/*[service=CLOUDFRONT]/ipv6_prefix'), files: ['aws-ip-ranges.json', 'ip-ranges.json'], ...offSchedule('the shipped table has its ranges') },
  { ...network('gcp', 'Google Cloud customers', 'gcp', { hosting: true, usage: 'IDC' }), ...CLOUD, attribution: 'Google', url: 'https://www.gstatic.com/ipranges/cloud.json', bounds: SMALL, format: regional('scope', googleShape), files: ['gcp-cloud.json', 'cloud.json'], holders: GOOGLE },
  { ...network('azure', 'Microsoft Azure', 'microsoft-azure', { hosting: true, usage: 'IDC' }), ...CLOUD, attribution: 'Microsoft', url: 'https://www.microsoft.com/en-us/download/details.aspx?id=56519',
    linkPattern: 'https://download\\.microsoft\\.com/download/[^":\\s]*ServiceTags_Public_\\d{8}\\.json', bounds: { minRows: 2000, maxRows: 200_000, maxBytes: 64 * MB },
    format: regional('region', json('/values/*[name=AzureCloud]/properties/addressPrefixes/*', '/values/*[name^=AzureCloud.]/properties/addressPrefixes/*')), files: ['azure-service-tags.json'], holders: MICROSOFT },
  { ...network('oracle-cloud', 'Oracle Cloud', 'oracle-cloud', { hosting: true, usage: 'IDC' }), ...CLOUD, attribution: 'Oracle', url: 'https://docs.oracle.com/en-us/iaas/tools/public_ip_ranges.json', bounds: SMALL, format: regional('region', json('/regions/*/cidrs/*/cidr')), files: ['oracle-public_ip_ranges.json', 'public_ip_ranges.json'], holders: [14544, 31898] },
  { ...network('digitalocean', 'DigitalOcean', 'digitalocean', { hosting: true, usage: 'IDC' }), ...CLOUD, attribution: 'DigitalOcean', url: 'https://digitalocean.com/geo/google.csv', bounds: SMALL, format: geofeed, files: ['digitalocean-geofeed.csv'], holders: [14061] },
  { ...network('linode', 'Linode (Akamai)', 'linode', { hosting: true, usage: 'IDC' }), ...CLOUD, attribution: 'Akamai', url: 'https://geoip.linode.com/', bounds: SMALL, format: geofeed, files: ['linode-geofeed.csv'], holders: [20940, 63949] },
  { ...network('vultr', 'Vultr', 'vultr', { hosting: true, usage: 'IDC' }), ...CLOUD, attribution: 'The Constant Company', url: 'https://geofeed.constant.com/', bounds: SMALL, format: geofeed, files: ['vultr-geofeed.csv'], holders: [20473] },
  // Geofeeds (RFC 8805) of clouds and access networks state places and set nothing else.
  { ...network('aws-geofeed', 'Amazon Web Services: places', 'aws', {}), ...CLOUD, attribution: 'Amazon', url: 'https://ip-ranges.amazonaws.com/geo-ip-feed.csv', bounds: { minRows: 2000, maxRows: 200_000, maxBytes: 16 * MB }, format: geofeed, files: ['aws-geofeed.csv', 'geo-ip-feed.csv'], holders: AWS },
  { ...network('azure-geofeed', 'Microsoft: places', 'microsoft-azure', {}), ...CLOUD, attribution: 'Microsoft', url: 'https://www.microsoft.com/en-us/download/details.aspx?id=53601',
    linkPattern: 'https://download\\.microsoft\\.com/download/[^":\\s]*geoloc-Microsoft\\.csv', bounds: { minRows: 10_000, maxRows: 500_000, maxBytes: 32 * MB },
    format: csv('ip range', { country: 'country', region: 'region', city: 'city' }), files: ['geoloc-Microsoft.csv'], holders: MICROSOFT },
  { ...network('gcp-geofeed', 'Google Cloud: places', 'gcp', {}), ...CLOUD, attribution: 'Google', url: 'https://www.gstatic.com/ipranges/cloud_geofeed', bounds: { minRows: 300, maxRows: 50_000, maxBytes: 8 * MB }, format: geofeed, files: ['gcp-geofeed.csv', 'cloud_geofeed'], holders: GOOGLE },
  { ...network('starlink', 'Starlink: places of its customers', 'starlink', {}), ...OPERATOR, attribution: 'SpaceX', cadenceMin: 1440, maxAgeHours: 336, url: 'https://geoip.starlinkisp.net/feed.csv', bounds: { minRows: 1000, maxRows: 100_000, maxBytes: 8 * MB }, format: geofeed, files: ['starlink-geofeed.csv'], holders: [14593, 27277, 397763] },
  { ...network('tmobile-us', 'T-Mobile US: places of its customers', 'tmobile-us', {}), licence: 'Apache-2.0', attribution: 'T-Mobile US', redistribution: 'allowed', cadenceMin: 1440, maxAgeHours: 4320, url: `${GITHUB}/tmobile/tmus-geofeed/main/tmus-geo-ip.txt`, bounds: { minRows: 1000, maxRows: 100_000, maxBytes: 8 * MB }, format: geofeed, files: ['tmobile-us-geofeed.csv', 'tmus-geo-ip.txt'], holders: [17133, 21928, 22140] },
  { ...network('viasat', 'Viasat: places of its customers', 'viasat', {}), ...OPERATOR, attribution: 'Viasat', cadenceMin: 720, maxAgeHours: 336, url: `${GITHUB}/Viasat/geofeed/main/geofeed.csv`, bounds: { minRows: 100, maxRows: 50_000, maxBytes: 4 * MB }, format: geofeed, files: ['viasat-geofeed.csv'], holders: [7155, 40306, 40310, 40311] },
  { ...network('hexydec-datacentres', 'hexydec: ranges of seven clouds', 'hexydec', { hosting: true, usage: 'IDC' }), licence: 'MIT', attribution: 'hexydec/ip-ranges', redistribution: 'allowed', cadenceMin: 720, maxAgeHours: 336,
    url: `${GITHUB}/hexydec/ip-ranges/main/output/datacentres.csv`, bounds: { minRows: 10_000, maxRows: 1_000_000, maxBytes: 64 * MB }, format: { kind: 'csv', header: false, ip: 1, country: 2 }, files: ['hexydec-datacentres.csv'] },
  { ...network('x4bnet-datacenter-4', 'X4BNet: datacenter ranges, IPv4', 'x4bnet', { hosting: true, usage: 'IDC' }), licence: 'MIT', attribution: 'X4BNet/lists_vpn', redistribution: 'allowed', cadenceMin: 360, maxAgeHours: 336,
    url: `${GITHUB}/X4BNet/lists_vpn/main/output/datacenter/ipv4.txt`, bounds: { minRows: 5000, maxRows: 500_000, maxBytes: 32 * MB }, format: ips, files: ['x4bnet-datacenter-ipv4.txt'] },
  { ...network('x4bnet-datacenter-6', 'X4BNet: datacenter ranges, IPv6', 'x4bnet', { hosting: true, usage: 'IDC' }), licence: 'MIT', attribution: 'X4BNet/lists_vpn', redistribution: 'allowed', cadenceMin: 360, maxAgeHours: 336,
    url: `${GITHUB}/X4BNet/lists_vpn/main/output/datacenter/ipv6.txt`, bounds: { minRows: 1000, maxRows: 200_000, maxBytes: 32 * MB }, format: ips, files: ['x4bnet-datacenter-ipv6.txt'] },
  { ...network('x4bnet-datacenter-asn', 'X4BNet: hosting AS numbers', 'x4bnet', { hosting: true, usage: 'IDC' }), licence: 'MIT', attribution: 'X4BNet/lists_vpn', redistribution: 'allowed', cadenceMin: 10_080, maxAgeHours: 720,
    url: `${GITHUB}/X4BNet/lists_vpn/main/input/datacenter/ASN.txt`, bounds: { minRows: 100, maxRows: 20_000, maxBytes: 4 * MB }, format: { kind: 'asns' }, files: ['x4bnet-datacenter-asn.txt'], ...offSchedule('AS numbers count only where another list agrees, and the shipped table has those') },
  // VPN operators' AS numbers are hosting space; without a sighting of an address they are not evidence about it.
  { ...network('x4bnet-vpn-asn', 'X4BNet: AS numbers of VPN operators', 'x4bnet', { hosting: true }), licence: 'MIT', attribution: 'X4BNet/lists_vpn', redistribution: 'allowed', cadenceMin: 10_080, maxAgeHours: 720,
    url: `${GITHUB}/X4BNet/lists_vpn/main/input/vpn/ASN.txt`, bounds: { minRows: 3, maxRows: 5000, maxBytes: 2 * MB }, format: { kind: 'asns' }, files: ['x4bnet-vpn-asn.txt'], ...offSchedule('no version since February 2026 is known') },
  { ...network('ipcat', 'ipcat: datacenter ranges by company', 'ipcat', { hosting: true, usage: 'IDC' }), licence: 'MIT', attribution: 'growlfm/ipcat', redistribution: 'allowed', cadenceMin: 720, maxAgeHours: 336,
    url: `${GITHUB}/growlfm/ipcat/main/datacenters.csv`, bounds: { minRows: 1000, maxRows: 100_000, maxBytes: 16 * MB }, format: { kind: 'csv', header: false, ip: 0, end: 1 }, files: ['ipcat-datacenters.csv'] },
  { ...network('bad-asn', 'bad-asn-list: hosting AS numbers', 'bad-asn-list', { hosting: true }), licence: 'MIT', attribution: 'brianhama/bad-asn-list', redistribution: 'allowed', cadenceMin: 10_080, maxAgeHours: 720,
    url: `${GITHUB}/brianhama/bad-asn-list/master/bad-asn-list.csv`, bounds: { minRows: 200, maxRows: 20_000, maxBytes: 4 * MB }, format: { kind: 'asns' }, files: ['bad-asn-list.csv'], ...offSchedule('no version since March 2026 is known; the shipped table has what another list confirms') },
  openasn('hosting_extra', 'OpenASN: hosting AS numbers', { hosting: true, usage: 'IDC' }),
  openasn('vpn_provider', 'OpenASN: AS numbers of VPN operators', { hosting: true }),
  { ...network('oxl-asn-hosting', 'O-X-L: hosting AS numbers', 'oxl', { hosting: true }), ...OXL, ...OXL_DEAD, url: `${GITHUB}/O-X-L/risk-db-lists/main/asn/kind_hosting.csv`, bounds: { minRows: 100, maxRows: 20_000, maxBytes: 4 * MB }, format: { kind: 'asns' }, files: ['oxl-asn-kind_hosting.csv'] },
  { ...network('oxl-asn-vpn', 'O-X-L: AS numbers of VPN operators', 'oxl', { hosting: true }), ...OXL, ...OXL_DEAD, url: `${GITHUB}/O-X-L/risk-db-lists/main/asn/kind_vpn.csv`, bounds: { minRows: 3, maxRows: 5000, maxBytes: 2 * MB }, format: { kind: 'asns' }, files: ['oxl-asn-kind_vpn.csv'] },

  openasn('mobile_carrier', 'OpenASN: mobile-only carriers', { mobile: true, usage: 'MOB' }),
  openasn('enterprise_gateway', 'OpenASN: secure web gateways', { usage: 'GTW' }),
  openasn('eyeball_confirm', 'OpenASN: consumer access networks', { usage: 'DYN' }),
  { ...network('oxl-asn-education', 'O-X-L: universities', 'oxl', { usage: 'EDU' }), ...OXL, ...OXL_DEAD, url: `${GITHUB}/O-X-L/risk-db-lists/main/asn/kind_education.csv`, bounds: { minRows: 50, maxRows: 20_000, maxBytes: 4 * MB }, format: { kind: 'asns' }, files: ['oxl-asn-kind_education.csv'] },
  { ...network('oxl-dynamic-nets', 'O-X-L: networks with dynamic reverse names', 'oxl', { usage: 'DYN' }), ...OXL, ...OXL_DEAD, url: `${GITHUB}/O-X-L/risk-db-lists/main/net/kind_dynamic.txt`, bounds: { minRows: 10_000, maxRows: 2_000_000, maxBytes: 64 * MB }, format: ips, files: ['oxl-net-kind_dynamic.txt'] },
  { ...network('oxl-dynamic-addresses', 'O-X-L: addresses with dynamic reverse names', 'oxl', { usage: 'DYN' }), ...OXL, url: `${GITHUB}/O-X-L/risk-db-lists/main/ip/kind_dynamic.txt`, bounds: { minRows: 10_000, maxRows: 5_000_000, maxBytes: 128 * MB }, format: ips, files: ['oxl-ip-kind_dynamic.txt'], ...offSchedule('its last known content is of July 2025') },
  bgptools('satnet', 'bgp.tools: satellite operators', { usage: 'SAT' }),
  bgptools('uni', 'bgp.tools: universities', { usage: 'EDU' }),
  bgptools('gov', 'bgp.tools: government', { usage: 'GOV' }),
  // These mix kinds of network (a carrier is tagged mobile and dsl, a registrar vpn), so they set nothing and
  // are read for reference.
  ...['anycast', 'biznet', 'cdn', 'corp', 'dsl', 'icrit', 'mobile', 'tor', 'vpn', 'vpsh'].map((tag) => bgptools(tag, `bgp.tools: tag ${tag}`, {})),
  { ...network('bgptools-asns', 'bgp.tools: all AS numbers', 'bgp.tools', {}), ...BGPTOOLS, url: 'https://bgp.tools/asns.csv', bounds: { minRows: 50_000, maxRows: 1_000_000, maxBytes: 64 * MB }, files: ['bgptools-asns.csv'] },
  ...['crawler', 'isp', 'scanner'].map((kind): FeedRow => ({ ...network(`oxl-asn-${kind}`, `O-X-L: AS numbers of kind ${kind}`, 'oxl', {}), ...OXL, url: `${GITHUB}/O-X-L/risk-db-lists/main/asn/kind_${kind}.csv`,
    bounds: { minRows: 3, maxRows: 50_000, maxBytes: 4 * MB }, format: { kind: 'asns' }, files: [`oxl-asn-kind_${kind}.csv`], ...offSchedule('it sets nothing') })),
  operator('cernet', 'CERNET', { usage: 'EDU' }, 4), operator('cernet', 'CERNET', { usage: 'EDU' }, 6),
  operator('cstnet', 'CSTNET', { usage: 'EDU' }, 4), operator('cstnet', 'CSTNET', { usage: 'EDU' }, 6),
  // One AS number carries fixed lines, mobile and datacenters in China: whose space it is says nothing about its use.
  ...(['china', 'chinanet', 'cmcc', 'unicom'] as const).flatMap((name) => ([4, 6] as const).map((version) => operator(name, `China: ${name}`, {}, version))),
  operator('drpeng', 'China: drpeng', {}, 4),

  { ...network('cloudflare-4', 'Cloudflare, IPv4', 'cloudflare', { hosting: true, usage: 'CDN' }), ...CLOUD, attribution: 'Cloudflare', url: 'https://www.cloudflare.com/ips-v4', bounds: { minRows: 5, maxRows: 1000, maxBytes: MB }, format: ips, files: ['cloudflare-ips-v4.txt', 'ips-v4'], ...offSchedule('the shipped table has its ranges') },
  { ...network('cloudflare-6', 'Cloudflare, IPv6', 'cloudflare', { hosting: true, usage: 'CDN' }), ...CLOUD, attribution: 'Cloudflare', url: 'https://www.cloudflare.com/ips-v6', bounds: { minRows: 3, maxRows: 1000, maxBytes: MB }, format: ips, files: ['cloudflare-ips-v6.txt', 'ips-v6'], ...offSchedule('the shipped table has its ranges') },
  { ...network('fastly', 'Fastly', 'fastly', { hosting: true, usage: 'CDN' }), ...CLOUD, attribution: 'Fastly', url: 'https://api.fastly.com/public-ip-list', bounds: { minRows: 5, maxRows: 1000, maxBytes: MB }, format: json('/addresses/*', '/ipv6_addresses/*'), files: ['fastly-public-ip-list.json'], ...offSchedule('the shipped table has its ranges') },
  { ...network('bunny', 'bunny.net edge servers', 'bunny', { hosting: true, usage: 'CDN' }), ...CLOUD, attribution: 'bunny.net', url: 'https://api.bunny.net/system/edgeserverlist', bounds: SMALL, format: json('/*'), files: ['bunny-edgeserverlist.json'] },
  openasn('cdn', 'OpenASN: content delivery networks', { hosting: true }),
  { ...network('anycast-4', 'Anycast prefixes, IPv4', 'bgp.tools-anycast', { usage: 'ANY' }), ...ANYCAST, url: `${GITHUB}/bgptools/anycast-prefixes/master/anycatch-v4-prefixes.txt`, bounds: { minRows: 500, maxRows: 100_000, maxBytes: 8 * MB, widest: ANYCAST_WIDEST }, files: ['bgptools-anycast-v4.txt', 'anycatch-v4-prefixes.txt'] },
  { ...network('anycast-6', 'Anycast prefixes, IPv6', 'bgp.tools-anycast', { usage: 'ANY' }), ...ANYCAST, url: `${GITHUB}/bgptools/anycast-prefixes/master/anycatch-v6-prefixes.txt`, bounds: { minRows: 200, maxRows: 100_000, maxBytes: 8 * MB, widest: ANYCAST_WIDEST }, files: ['bgptools-anycast-v6.txt', 'anycatch-v6-prefixes.txt'] },
  { ...network('misp-public-dns-4', 'MISP: public DNS resolvers, IPv4', 'misp-warninglists', { usage: 'DNS' }), licence: 'CC0-1.0', attribution: 'MISP warninglists', redistribution: 'allowed', cadenceMin: 10_080, maxAgeHours: 720,
    url: `${GITHUB}/MISP/misp-warninglists/main/lists/public-dns-v4/list.json`, bounds: { minRows: 1000, maxRows: 500_000, maxBytes: 32 * MB }, format: json('/list/*'), files: ['misp-public-dns-v4.json'],
    ...offSchedule('its last known content is of June 2024, and most of it are open resolvers on ordinary lines') },
  { ...network('misp-public-dns-6', 'MISP: public DNS resolvers, IPv6', 'misp-warninglists', { usage: 'DNS' }), licence: 'CC0-1.0', attribution: 'MISP warninglists', redistribution: 'allowed', cadenceMin: 10_080, maxAgeHours: 720,
    url: `${GITHUB}/MISP/misp-warninglists/main/lists/public-dns-v6/list.json`, bounds: { minRows: 20, maxRows: 100_000, maxBytes: 16 * MB }, format: json('/list/*'), files: ['misp-public-dns-v6.json'], ...offSchedule('its last known content is of June 2024, and most of it are open resolvers on ordinary lines') },
  { ...network('shadowwhisperer-dns', 'ShadowWhisperer: DNS services by company', 'shadowwhisperer', { usage: 'DNS' }), licence: 'Unlicense', attribution: 'ShadowWhisperer/IPs', redistribution: 'allowed', cadenceMin: 10_080, maxAgeHours: 720,
    url: `${GITHUB}/ShadowWhisperer/IPs/master/Lists/DNS.csv`, bounds: { minRows: 20, maxRows: 20_000, maxBytes: 4 * MB }, format: { kind: 'csv', header: false, ip: 0 }, files: ['shadowwhisperer-DNS.csv', 'DNS.csv'], ...offSchedule('the shipped table has its resolvers') },

  { ...network('rir-unallocated', 'NRO: space no registry has given out', 'nro', { usage: 'UND' }), licence: 'free use with credit, NRO statistics', attribution: 'Number Resource Organization', redistribution: 'fetch-only', cadenceMin: 1440, maxAgeHours: 336,
    url: 'https://ftp.ripe.net/pub/stats/ripencc/nro-stats/latest/nro-delegated-stats', bounds: { minRows: 500, maxRows: 1_000_000, maxBytes: 128 * MB }, format: { kind: 'rir', status: ['available', 'reserved'] }, files: ['nro-delegated-stats', 'nro-delegated-stats.txt'] },
  // AUR is the usage code of allocated space that is not announced. The effect holds only where no AS number
  // is known.
  { ...network('rir-delegated', 'NRO: space that registries have given out', 'nro', { usage: 'AUR', unrouted: true }), licence: 'free use with credit, NRO statistics', attribution: 'Number Resource Organization', redistribution: 'fetch-only', cadenceMin: 1440, maxAgeHours: 336,
    url: 'https://ftp.ripe.net/pub/stats/ripencc/nro-stats/latest/nro-delegated-stats', bounds: { minRows: 100_000, maxRows: 3_000_000, maxBytes: 128 * MB }, format: { kind: 'rir', status: ['allocated', 'assigned'] }, files: ['nro-delegated-stats', 'nro-delegated-stats.txt'] },
  { ...network('rir-allocated', 'Allocated or assigned by a registry', 'nro', { usage: 'AUR', unrouted: true }), licence: 'CC0-1.0', attribution: 'ipverse/rir-ip; the regional registries', redistribution: 'allowed', cadenceMin: 1440, maxAgeHours: 720, url: '',
    bounds: { minRows: 50_000, maxRows: 2_000_000, maxBytes: 128 * MB }, format: { kind: 'csv', separator: '\t', header: false, ip: 1 }, files: ['rir-allocated.tsv', 'rir-allocated-2026-02-01.tsv'], ...offSchedule('it has no publisher’s address') },
];

export const NETWORK_FEEDS: readonly Feed[] = ROWS.map(feedOf);

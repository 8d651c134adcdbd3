import type { Feed } from '../../core/feeds/feed.ts';
import { csv, type FeedRow, feedOf, GITHUB, ips, json, MB, offSchedule, risk } from './catalogue-columns.ts';

const ABUSE_CH = { licence: 'CC0-1.0', attribution: 'abuse.ch', redistribution: 'allowed' } as const;
const SHADOW = {
  family: 'shadowwhisperer',
  licence: 'Unlicense',
  attribution: 'ShadowWhisperer/IPs',
  redistribution: 'allowed',
  cadenceMin: 360,
  // New versions come weeks apart.
  maxAgeHours: 1440,
} as const;
const BLOCKLIST_DE = {
  family: 'blocklist-de', licence: 'free of charge, terms of blocklist.de', attribution: 'blocklist.de', redistribution: 'fetch-only', cadenceMin: 60, maxAgeHours: 24,
} as const; // biome-ignore format: one row
const ET = {
  family: 'emerging-threats',
  licence: 'BSD-3-Clause',
  attribution: 'Proofpoint Emerging Threats Open',
  redistribution: 'allowed',
  cadenceMin: 1440,
  maxAgeHours: 96,
} as const;
const OXL = {
  family: 'oxl',
  licence: 'BSD-3-Clause',
  attribution: 'O-X-L risk-db',
  redistribution: 'allowed',
  cadenceMin: 1440,
  maxAgeHours: 336,
} as const;
/** The repository had a version a day from May to 5 July 2025 and none after that. */
const OXL_DEAD = offSchedule('its last known content is of July 2025');
const VPN_API = {
  licence: 'published by the operator, no licence stated',
  redistribution: 'fetch-only',
  cadenceMin: 360,
  maxAgeHours: 96,
} as const;

/** Whole allocations are hijacked and sold on: DROP lists them as they were allocated. */
const HIJACKED = { maxCovered: { 4: 2 ** 26, 6: 2 ** 46 }, widest: { 4: 10, 6: 19 } } as const;

/**
 * A list of addresses: a publisher that was taken over cannot name networks with it. One subscriber's /64 is
 * as good as an address.
 */
const HOSTS = { widest: { 4: 32, 6: 64 } } as const;
/** A list of networks: none of its rows was ever narrower, and a flood of single addresses is not its purpose. */
const NETWORKS = { narrowest: { 4: 24, 6: 64 } } as const;

/** Addresses that an operator names, neighbours written as one range: the publisher's own bound is 20,000 addresses. */
const SERVERS = { widest: { 4: 26, 6: 64 }, maxCovered: { 4: 20_000, 6: 20_000 } } as const;

/**
 * Sources of evidence. One row a source; `Feed` explains the columns. Sizes are those seen in 2026, with room
 * on both sides.
 */
// biome-ignore format: a table
const ROWS: readonly FeedRow[] = [
  { ...risk('iplocate-proxies', 'IPLocate: tested open proxies', 'iplocate', 'proxy'), url: `${GITHUB}/iplocate/free-proxy-list/main/all-proxies.txt`,
    licence: 'MIT', attribution: 'iplocate.io', redistribution: 'allowed', cadenceMin: 15, maxAgeHours: 12, bounds: { minRows: 100, maxRows: 50_000, maxBytes: 8 * MB, ...HOSTS },
    format: { kind: 'lines', ports: true }, files: ['iplocate-all-proxies.txt'] },
  { ...risk('monosans-proxies', 'monosans: tested open proxies with exit address', 'monosans', 'proxy'), url: `${GITHUB}/monosans/proxy-list/main/proxies.json`,
    licence: 'MIT (geolocation fields © MaxMind, not read)', attribution: 'monosans/proxy-list', redistribution: 'fetch-only', cadenceMin: 30, maxAgeHours: 24,
    bounds: { minRows: 50, maxRows: 100_000, maxBytes: 64 * MB, ...HOSTS }, format: json('/*/host', '/*/exit_ip'), files: ['monosans-proxies.json'] },
  { ...risk('stormsia-proxies', 'stormsia: tested open proxies', 'stormsia', 'proxy'), url: `${GITHUB}/stormsia/proxy-list/main/working_proxies.txt`,
    licence: 'MIT', attribution: 'stormsia/proxy-list', redistribution: 'allowed', cadenceMin: 15, maxAgeHours: 24, bounds: { minRows: 20, maxRows: 50_000, maxBytes: 8 * MB, mayShrink: true, ...HOSTS },
    format: { kind: 'lines', ports: true }, files: ['stormsia-working_proxies.txt', 'working_proxies.txt'] },
  { ...risk('avastel-proxies', 'Avastel: ranges of proxy bots, 8 days', 'avastel', 'proxy'), clock: 'stated', url: `${GITHUB}/antoinevastel/avastel-bot-ips-lists/master/avastel-proxy-bot-ips-blocklist-8days.txt`,
    licence: 'MIT', attribution: 'Antoine Vastel', redistribution: 'allowed', cadenceMin: 360, maxAgeHours: 72, bounds: { minRows: 20, maxRows: 50_000, maxBytes: 16 * MB, ...NETWORKS },
    format: ips, files: ['avastel-blocklist-8days.txt'] },
  { ...risk('avastel-1day', 'Avastel: proxy bots seen on one day', 'avastel', 'proxy'), clock: 'stated', url: `${GITHUB}/antoinevastel/avastel-bot-ips-lists/master/avastel-proxy-bot-ips-1day.txt`,
    effect: { kind: 'risk', riskType: 'proxy', derives: 'hijacked_proxy' },
    licence: 'MIT', attribution: 'Antoine Vastel', redistribution: 'allowed', cadenceMin: 360, maxAgeHours: 72, bounds: { minRows: 1000, maxRows: 3_000_000, maxBytes: 256 * MB, ...HOSTS },
    format: ips, files: ['avastel-1day.txt', 'avastel-proxy-bot-ips-1day.txt'] },
  // The same file: a subscriber's proxy is seldom on two days, its neighbours are.
  { ...risk('avastel-neighbours', 'Avastel: /24 networks full of proxy bots on one day', 'avastel', 'proxy'), clock: 'stated', url: `${GITHUB}/antoinevastel/avastel-bot-ips-lists/master/avastel-proxy-bot-ips-1day.txt`,
    licence: 'MIT', attribution: 'Antoine Vastel', redistribution: 'allowed', cadenceMin: 360, maxAgeHours: 72, bounds: { minRows: 50, maxRows: 50_000, maxBytes: 256 * MB, ...NETWORKS },
    format: { kind: 'lines', networksOf: { bits: 24, least: 3, share: 1 / 50_000 } }, files: ['avastel-1day.txt', 'avastel-proxy-bot-ips-1day.txt'] },
  // Its ranges say who was blocked, not which address was a proxy: single addresses only.
  { ...risk('openproxydb', 'OpenProxyDB: proxy blocks of Wikimedia with their block time', 'wikimedia-proxy-blocks', 'proxy', 'appearance'),
    url: `${GITHUB}/NetworkCats/OpenProxyDB/data/block_metadata.csv`, licence: 'CC0-1.0', attribution: 'NetworkCats/OpenProxyDB, Wikimedia', redistribution: 'allowed', cadenceMin: 1440,
    maxAgeHours: 8760, bounds: { minRows: 5000, maxRows: 2_000_000, maxBytes: 256 * MB, ...HOSTS }, format: csv('ip', { time: 'block_time' }), files: ['openproxydb-block_metadata.csv'],
    ...offSchedule('no version since May 2026 is known; even then 334 of its single addresses were blocked within 14 days') },
  { ...risk('oxl-proxies', 'O-X-L: proxies', 'oxl', 'proxy'), ...OXL, ...OXL_DEAD, url: `${GITHUB}/O-X-L/risk-db-lists/main/ip/kind_proxy.txt`,
    bounds: { minRows: 500, maxRows: 200_000, maxBytes: 16 * MB, ...HOSTS }, format: ips, files: ['oxl-ip-kind_proxy.txt'] },

  { ...risk('tor-bulk-exits', 'Tor Project: bulk exit list', 'tor-project', 'vpn'), clock: 'live', effect: { kind: 'risk', riskType: 'vpn', pool: 'tor', sharedBy: 'tor' }, url: 'https://check.torproject.org/torbulkexitlist',
    licence: 'CC0-1.0', attribution: 'The Tor Project', redistribution: 'allowed', cadenceMin: 30, maxAgeHours: 12, bounds: { minRows: 300, maxRows: 20_000, maxBytes: 4 * MB, ...HOSTS },
    format: ips, files: ['torbulkexitlist', 'torbulkexitlist.txt'], ...offSchedule('99 % of it is in tor-nodes, which has IPv6 too') },
  { ...risk('tor-onionoo', 'Tor Project: Onionoo, relays with the Exit flag', 'tor-project', 'vpn'), clock: 'live', effect: { kind: 'risk', riskType: 'vpn', pool: 'tor', sharedBy: 'tor' },
    url: 'https://onionoo.torproject.org/details?type=relay&running=true&flag=Exit&fields=or_addresses,exit_addresses', licence: 'CC0-1.0', attribution: 'The Tor Project',
    redistribution: 'allowed', cadenceMin: 30, maxAgeHours: 24, bounds: { minRows: 500, maxRows: 60_000, maxBytes: 32 * MB, ...HOSTS },
    format: json('/relays/*/exit_addresses/*', '/relays/*/or_addresses/*'), files: ['onionoo-exits.json'], ...offSchedule('it says what the consensus says, which is in tor-nodes') },
  { ...risk('tor-nodes', 'tor-nodes: exits from the consensus, IPv4 and IPv6', 'tor-project', 'vpn'), effect: { kind: 'risk', riskType: 'vpn', pool: 'tor', sharedBy: 'tor' },
    url: `${GITHUB}/alireza-rezaee/tor-nodes/main/latest.exits.csv`, licence: 'MIT', attribution: 'alireza-rezaee/tor-nodes; the Tor Project', redistribution: 'allowed', cadenceMin: 30,
    maxAgeHours: 24, bounds: { minRows: 500, maxRows: 60_000, maxBytes: 16 * MB, ...HOSTS }, format: csv('ipaddr'), files: ['tor-exits.csv', 'latest.exits.csv'] },

  { ...risk('x4bnet-vpn-4', 'X4BNet: VPN ranges, IPv4', 'x4bnet', 'vpn'), url: `${GITHUB}/X4BNet/lists_vpn/main/output/vpn/ipv4.txt`, licence: 'MIT', attribution: 'X4BNet/lists_vpn',
    redistribution: 'allowed', cadenceMin: 180, maxAgeHours: 72, bounds: { minRows: 2000, maxRows: 200_000, maxBytes: 16 * MB }, format: ips, files: ['x4bnet-vpn-ipv4.txt'] },
  { ...risk('x4bnet-vpn-6', 'X4BNet: VPN ranges, IPv6', 'x4bnet', 'vpn'), url: `${GITHUB}/X4BNet/lists_vpn/main/output/vpn/ipv6.txt`, licence: 'MIT', attribution: 'X4BNet/lists_vpn',
    redistribution: 'allowed', cadenceMin: 360, maxAgeHours: 720, bounds: { minRows: 50, maxRows: 50_000, maxBytes: 8 * MB, ...NETWORKS }, format: ips, files: ['x4bnet-vpn-ipv6.txt'] },
  { ...risk('x4bnet-mullvad', 'X4BNet: servers of Mullvad', 'mullvad', 'vpn'), effect: { kind: 'risk', riskType: 'vpn', pool: 'mullvad' }, url: `${GITHUB}/X4BNet/lists_vpn/main/input/vpn/ips/mullvadvpn.txt`,
    licence: 'MIT', attribution: 'X4BNet/lists_vpn; Mullvad VPN AB', redistribution: 'allowed', cadenceMin: 1440, maxAgeHours: 240, bounds: { minRows: 100, maxRows: 20_000, maxBytes: MB, ...SERVERS }, format: ips, files: ['x4bnet-mullvad.txt'], ...offSchedule('97 % of it is in the list of Mullvad itself') },
  { ...risk('x4bnet-pia', 'X4BNet: servers of Private Internet Access', 'pia', 'vpn'), effect: { kind: 'risk', riskType: 'vpn', pool: 'privateinternetaccess' }, url: `${GITHUB}/X4BNet/lists_vpn/main/input/vpn/ips/pia.txt`,
    licence: 'MIT', attribution: 'X4BNet/lists_vpn; Private Internet Access', redistribution: 'allowed', cadenceMin: 1440, maxAgeHours: 240, bounds: { minRows: 300, maxRows: 20_000, maxBytes: MB, ...SERVERS }, format: ips, files: ['x4bnet-pia.txt'], ...offSchedule('a daily sample of a list that is read each hour') },
  { ...risk('protonvpn', 'Proton VPN exits', 'protonvpn', 'vpn'), effect: { kind: 'risk', riskType: 'vpn', pool: 'protonvpn' }, url: `${GITHUB}/tn3w/ProtonVPN-IPs/master/protonvpn_ips.txt`,
    licence: 'Apache-2.0', attribution: 'tn3w/ProtonVPN-IPs', redistribution: 'allowed', cadenceMin: 180, maxAgeHours: 96, bounds: { minRows: 200, maxRows: 50_000, maxBytes: 8 * MB, ...HOSTS },
    format: ips, files: ['tn3w-protonvpn_ips.txt', 'protonvpn_ips.txt'] },
  // An address stays 30 days after it was last resolved; the value says how many are left, so each row has its own day.
  { ...risk('tunnelbear', 'TunnelBear exits', 'tunnelbear', 'vpn', 'appearance'), effect: { kind: 'risk', riskType: 'vpn', pool: 'tunnelbear' },
    url: `${GITHUB}/tn3w/TunnelBear-IPs/master/tunnelbear_ips_ttl.json`, licence: 'Apache-2.0', attribution: 'tn3w/TunnelBear-IPs', redistribution: 'allowed', cadenceMin: 60, maxAgeHours: 96,
    bounds: { minRows: 200, maxRows: 100_000, maxBytes: 16 * MB, ...HOSTS }, format: { kind: 'json', paths: ['/~keys'], daysLeftOf: 30 }, files: ['tn3w-tunnelbear_ips_ttl.json'] },
  { ...risk('shadowwhisperer-tunnels', 'ShadowWhisperer: VPN exits by operator', 'shadowwhisperer', 'vpn'), ...SHADOW, url: `${GITHUB}/ShadowWhisperer/IPs/master/Lists/Tunnels.csv`,
    // Tor relays are read at their origin; WARP is a consumer relay; Check Point's are an enterprise
    // gateway's egress, people at work behind one address.
    bounds: { minRows: 300, maxRows: 200_000, maxBytes: 16 * MB, ...HOSTS }, format: csv('ip', { pool: 'company_name', drop: { column: 'company_name', values: ['Tor', 'WARP', 'Check Point'] } }),
    files: ['shadowwhisperer-Tunnels.csv', 'Tunnels.csv'] },
  { ...risk('mullvad', 'Mullvad relays', 'mullvad', 'vpn'), clock: 'live', ...VPN_API, effect: { kind: 'risk', riskType: 'vpn', pool: 'mullvad' }, url: 'https://api.mullvad.net/www/relays/all/', attribution: 'Mullvad VPN AB',
    bounds: { minRows: 100, maxRows: 20_000, maxBytes: 16 * MB, ...HOSTS }, format: json('/*[active=true]/ipv4_addr_in', '/*[active=true]/ipv6_addr_in'), files: ['mullvad-relays.json'] },
  { ...risk('ivpn', 'IVPN servers', 'ivpn', 'vpn'), clock: 'live', ...VPN_API, effect: { kind: 'risk', riskType: 'vpn', pool: 'ivpn' }, url: 'https://api.ivpn.net/v4/servers.json', attribution: 'IVPN Limited',
    bounds: { minRows: 20, maxRows: 10_000, maxBytes: 16 * MB, ...HOSTS }, format: json('/wireguard/*/hosts/*/host', '/openvpn/*/hosts/*/host', '/openvpn/*/ip_addresses/*'), files: ['ivpn-servers.json'] },
  // Each answer holds about a fifth of the servers.
  { ...risk('pia', 'Private Internet Access servers', 'pia', 'vpn'), clock: 'live', ...VPN_API, cadenceMin: 60, effect: { kind: 'risk', riskType: 'vpn', pool: 'privateinternetaccess' },
    url: 'https://serverlist.piaservers.net/vpninfo/servers/v7', attribution: 'Private Internet Access', bounds: { minRows: 50, maxRows: 50_000, maxBytes: 16 * MB, ...HOSTS },
    format: { kind: 'json', paths: ['/regions/*[offline=false]/servers/*/*/ip'], firstLine: true }, files: ['pia-servers.json'] },
  { ...risk('nordvpn', 'NordVPN servers', 'nordvpn', 'vpn'), clock: 'live', ...VPN_API, cadenceMin: 720, effect: { kind: 'risk', riskType: 'vpn', pool: 'nordvpn' }, url: 'https://api.nordvpn.com/v1/servers?limit=0', attribution: 'NordVPN',
    bounds: { minRows: 500, maxRows: 100_000, maxBytes: 128 * MB, ...HOSTS }, format: json('/*[status=online]/station'), files: ['nordvpn-servers.json'] },
  { ...risk('airvpn', 'AirVPN entry addresses', 'airvpn', 'vpn'), clock: 'live', ...VPN_API, effect: { kind: 'risk', riskType: 'vpn', pool: 'airvpn' }, url: 'https://airvpn.org/api/status/', attribution: 'AirVPN',
    bounds: { minRows: 50, maxRows: 20_000, maxBytes: 16 * MB, ...HOSTS }, format: json(...[4, 6].flatMap((version) => [1, 2, 3, 4].map((n) => `/servers/*/ip_v${version}_in${n}`))), files: ['airvpn-status.json'] },
  { ...risk('ovpn', 'OVPN servers', 'ovpn', 'vpn'), clock: 'live', ...VPN_API, effect: { kind: 'risk', riskType: 'vpn', pool: 'ovpn' }, url: 'https://www.ovpn.com/v2/api/client/entry', attribution: 'OVPN Integritet',
    bounds: { minRows: 20, maxRows: 5000, maxBytes: 8 * MB, ...HOSTS }, format: json('/datacenters/*/servers/*[online=true]/ip'), files: ['ovpn-entry.json'] },
  { ...risk('riseup', 'Riseup VPN gateways', 'riseup', 'vpn'), clock: 'live', ...VPN_API, effect: { kind: 'risk', riskType: 'vpn', pool: 'riseup' }, url: 'https://api.black.riseup.net/3/config/eip-service.json', attribution: 'Riseup',
    bounds: { minRows: 5, maxRows: 1000, maxBytes: 4 * MB, ...HOSTS }, format: json('/gateways/*/ip_address'), files: ['riseup-eip-service.json'] },
  // These two publish host names. Each of Surfshark's answers with a few of many addresses.
  { ...risk('surfshark', 'Surfshark servers', 'surfshark', 'vpn'), clock: 'live', ...VPN_API, cadenceMin: 60, effect: { kind: 'risk', riskType: 'vpn', pool: 'surfshark' }, url: 'https://api.surfshark.com/v4/server/clusters/all', attribution: 'Surfshark',
    bounds: { minRows: 100, maxRows: 20_000, maxBytes: 8 * MB, ...HOSTS }, hostNames: { paths: ['/*/connectionName'], domain: 'prod.surfshark.com' }, format: ips, files: ['surfshark-addresses.txt'] },
  { ...risk('azirevpn', 'AzireVPN servers', 'azirevpn', 'vpn'), clock: 'live', ...VPN_API, effect: { kind: 'risk', riskType: 'vpn', pool: 'azirevpn' }, url: 'https://api.azirevpn.com/v3/locations', attribution: 'AzireVPN',
    bounds: { minRows: 20, maxRows: 5000, maxBytes: 4 * MB, ...HOSTS }, hostNames: { paths: ['/locations/*/pool'], domain: 'azirevpn.net' }, format: ips, files: ['azirevpn-addresses.txt'] },
  { ...risk('windscribe', 'Windscribe entry and server addresses', 'windscribe', 'vpn'), effect: { kind: 'risk', riskType: 'vpn', pool: 'windscribe' },
    url: `${GITHUB}/tn3w/Windscribe-IPs/master/windscribe_entry_ips.txt`, licence: 'Apache-2.0', attribution: 'tn3w/Windscribe-IPs', redistribution: 'allowed', cadenceMin: 180, maxAgeHours: 96,
    bounds: { minRows: 200, maxRows: 20_000, maxBytes: 4 * MB, ...HOSTS }, format: ips, files: ['windscribe_entry_ips.txt'] },

  { ...risk('threatfox', 'ThreatFox: addresses of recent indicators', 'abuse-ch', 'osint'), ...ABUSE_CH, url: `${GITHUB}/elliotwutingfeng/ThreatFox-IOC-IPs/main/ips.txt`,
    attribution: 'abuse.ch ThreatFox, via elliotwutingfeng/ThreatFox-IOC-IPs', cadenceMin: 30, maxAgeHours: 24, bounds: { minRows: 1000, maxRows: 500_000, maxBytes: 16 * MB, ...HOSTS }, format: ips, files: ['threatfox-ips.txt'] },
  { ...risk('feodo', 'Feodo Tracker: botnet command servers', 'abuse-ch', 'osint'), clock: 'stated', ...ABUSE_CH, url: 'https://feodotracker.abuse.ch/downloads/ipblocklist.txt', attribution: 'abuse.ch Feodo Tracker',
    cadenceMin: 60, maxAgeHours: 72, bounds: { minRows: 0, emptyShows: 'Feodo Tracker', maxRows: 50_000, maxBytes: 4 * MB, ...HOSTS }, format: ips, files: ['feodo-ipblocklist.txt'] },
  // Hosts of the URLs that deliver malware now: mostly infected routers and cameras, which serve it to the
  // next ones. Domain names are passed over.
  { ...risk('urlhaus', 'URLhaus: addresses that deliver malware now', 'abuse-ch', 'osint'), clock: 'stated', url: 'https://urlhaus.abuse.ch/downloads/text_online/', licence: 'fair use, terms of abuse.ch',
    attribution: 'abuse.ch URLhaus', redistribution: 'fetch-only', cadenceMin: 60, maxAgeHours: 24, bounds: { minRows: 200, maxRows: 500_000, maxBytes: 64 * MB, ...HOSTS },
    format: { kind: 'lines', ports: true, mixed: true }, files: ['urlhaus-text_online.txt'], ...offSchedule('abuse.ch asks for a key, and for a subscription where use is commercial') },
  { ...risk('ipsum', 'IPsum: on three or more public lists', 'ipsum', 'osint'), clock: 'stated', url: `${GITHUB}/stamparm/ipsum/master/ipsum.txt`, licence: 'Unlicense', attribution: 'stamparm/ipsum', redistribution: 'allowed',
    cadenceMin: 360, maxAgeHours: 72, bounds: { minRows: 2000, maxRows: 1_000_000, maxBytes: 64 * MB, ...HOSTS }, format: { kind: 'lines', minCount: 3 }, files: ['ipsum.txt'] },
  { ...risk('spamhaus-drop-4', 'Spamhaus DROP: hijacked and criminal networks, IPv4', 'spamhaus', 'osint'), clock: 'stated', url: 'https://www.spamhaus.org/drop/drop.txt', licence: 'Spamhaus DROP terms (free use with credit)',
    attribution: 'The Spamhaus Project', redistribution: 'fetch-only', cadenceMin: 1440, maxAgeHours: 336, bounds: { minRows: 200, maxRows: 20_000, maxBytes: 4 * MB, maxCovered: HIJACKED.maxCovered, widest: HIJACKED.widest }, format: ips, files: ['spamhaus-drop.txt', 'drop.txt'] },
  { ...risk('spamhaus-drop-6', 'Spamhaus DROP: hijacked and criminal networks, IPv6', 'spamhaus', 'osint'), clock: 'stated', url: 'https://www.spamhaus.org/drop/dropv6.txt', licence: 'Spamhaus DROP terms (free use with credit)',
    attribution: 'The Spamhaus Project', redistribution: 'fetch-only', cadenceMin: 1440, maxAgeHours: 1440, bounds: { minRows: 5, maxRows: 20_000, maxBytes: 4 * MB, maxCovered: HIJACKED.maxCovered, widest: HIJACKED.widest }, format: ips, files: ['spamhaus-dropv6.txt', 'dropv6.txt'] },
  { ...risk('blocklist-de', 'blocklist.de: attackers of the last 48 hours', 'blocklist-de', 'osint'), ...BLOCKLIST_DE, url: 'https://lists.blocklist.de/lists/all.txt',
    bounds: { minRows: 2000, maxRows: 500_000, maxBytes: 16 * MB, ...HOSTS }, format: ips, files: ['blocklist-de-all.txt'] },
  { ...risk('circl-osint', 'CIRCL OSINT: addresses in recent MISP events', 'circl', 'osint', 'events'), url: 'https://www.circl.lu/doc/misp/feed-osint/manifest.json', licence: 'published by the operator, no licence stated', attribution: 'CIRCL',
    redistribution: 'fetch-only', cadenceMin: 1440, maxAgeHours: 1440, bounds: { minRows: 0, emptyShows: '"Event"', maxRows: 200_000, maxBytes: 64 * MB }, manifestEvents: 100, format: { kind: 'misp' }, files: ['circl-osint.jsonl'], ...offSchedule('no licence is stated, and few of its addresses are recent') },
  { ...risk('botvrij', 'Botvrij.eu: addresses in recent MISP events', 'botvrij', 'osint', 'events'), url: 'https://www.botvrij.eu/data/feed-osint/manifest.json', licence: 'published by the operator, no licence stated', attribution: 'Botvrij.eu',
    redistribution: 'fetch-only', cadenceMin: 1440, maxAgeHours: 1440, bounds: { minRows: 0, emptyShows: '"Event"', maxRows: 200_000, maxBytes: 64 * MB }, manifestEvents: 100, format: { kind: 'misp' }, files: ['botvrij.jsonl'], ...offSchedule('no licence is stated, and few of its addresses are recent') },
  { ...risk('cins', 'CINS Army', 'cins', 'osint'), url: 'https://cinsscore.com/list/ci-badguys.txt', licence: 'free use, terms of cinsscore.com', attribution: 'Sentinel IPS, CINS Army', redistribution: 'fetch-only',
    cadenceMin: 360, maxAgeHours: 72, bounds: { minRows: 1000, maxRows: 100_000, maxBytes: 4 * MB, ...HOSTS }, format: ips, files: ['ci-badguys.txt'] },
  { ...risk('greensnow', 'GreenSnow', 'greensnow', 'osint'), url: 'https://blocklist.greensnow.co/greensnow.txt', licence: 'free use, terms of greensnow.co', attribution: 'GreenSnow', redistribution: 'fetch-only',
    cadenceMin: 360, maxAgeHours: 72, bounds: { minRows: 200, maxRows: 100_000, maxBytes: 4 * MB, ...HOSTS }, format: ips, files: ['greensnow.txt'] },
  { ...risk('et-compromised', 'Emerging Threats: compromised hosts', 'emerging-threats', 'osint'), ...ET, url: 'https://rules.emergingthreats.net/blockrules/compromised-ips.txt',
    bounds: { minRows: 20, maxRows: 100_000, maxBytes: 4 * MB, ...HOSTS }, format: ips, files: ['compromised-ips.txt'], ...offSchedule('99 % of it is in data-shield') },
  { ...risk('data-shield', 'Data-Shield: attackers of its own probes', 'data-shield', 'osint'), url: `${GITHUB}/duggytuxy/Data-Shield_IPv4_Blocklist/main/prod_data-shield_ipv4_blocklist.txt`,
    licence: 'GPL-3.0', attribution: 'duggytuxy, Data-Shield IPv4 Blocklist', redistribution: 'fetch-only', cadenceMin: 15, maxAgeHours: 72, bounds: { minRows: 20_000, maxRows: 500_000, maxBytes: 16 * MB, ...HOSTS },
    format: ips, files: ['prod_data-shield_ipv4_blocklist.txt'] },
  { ...risk('dshield', 'DShield: most active attacking /24 networks', 'dshield', 'osint'), clock: 'stated', url: 'https://www.dshield.org/block.txt', licence: 'CC BY-NC-SA 4.0', attribution: 'SANS Internet Storm Center, DShield',
    redistribution: 'fetch-only', cadenceMin: 1440, maxAgeHours: 72, bounds: { minRows: 5, maxRows: 1000, maxBytes: MB, ...NETWORKS },
    format: { kind: 'csv', separator: '\t', header: false, ip: 0, end: 1 }, files: ['dshield-block.txt'], ...offSchedule('its terms are non-commercial') },
  // Addresses are added and not removed: an entry is a capture when it first appears, and a new version does
  // not see the others again.
  { ...risk('maltrail-scanners', 'Maltrail: mass scanners', 'maltrail', 'osint', 'appearance'), url: `${GITHUB}/stamparm/maltrail/master/trails/static/mass_scanner.txt`, licence: 'MIT', attribution: 'stamparm/maltrail',
    redistribution: 'allowed', cadenceMin: 1440, maxAgeHours: 8760, bounds: { minRows: 2000, maxRows: 200_000, maxBytes: 16 * MB, ...HOSTS }, format: { kind: 'lines', mixed: true }, files: ['maltrail-mass_scanner.txt'],
    ...offSchedule('no version since January 2026 is known, so nothing in it is active') },
  { ...risk('maltrail-scanner-nets', 'Maltrail: /24 networks of mass scanners', 'maltrail', 'osint', 'appearance'), url: `${GITHUB}/stamparm/maltrail/master/trails/static/mass_scanner_cidr.txt`, licence: 'MIT',
    attribution: 'stamparm/maltrail', redistribution: 'allowed', cadenceMin: 1440, maxAgeHours: 168, bounds: { minRows: 100, maxRows: 50_000, maxBytes: 4 * MB }, format: { kind: 'lines', mixed: true },
    files: ['maltrail-mass_scanner_cidr.txt'], ...offSchedule('whole /24 networks for single addresses of maltrail-scanners') },
  { ...risk('maltrail-mirai', 'Maltrail: Mirai command and loader hosts', 'maltrail', 'osint'), url: `${GITHUB}/stamparm/maltrail/master/trails/static/malware/elf_mirai.txt`, licence: 'MIT', attribution: 'stamparm/maltrail',
    redistribution: 'allowed', cadenceMin: 1440, maxAgeHours: 720, bounds: { minRows: 1000, maxRows: 500_000, maxBytes: 32 * MB, ...HOSTS }, mode: 'appearance',
    // Servers that command bots, not infected subscribers: threat-listed, never hijacked_proxy. Entries are
    // not removed, so a reading does not re-sight them.
    format: { kind: 'lines', ports: true, mixed: true }, files: ['maltrail-elf_mirai.txt'],
    ...offSchedule('it drops no entry and gains 13 a month, so a first reading would date 8,500 old ones as new') },
  { ...risk('shadowwhisperer-scanners', 'ShadowWhisperer: internet-wide scanners by company', 'shadowwhisperer', 'osint', 'appearance'), ...SHADOW, url: `${GITHUB}/ShadowWhisperer/IPs/master/Lists/Scanners.csv`,
    bounds: { minRows: 5000, maxRows: 500_000, maxBytes: 32 * MB, ...HOSTS }, format: csv('ip'), files: ['shadowwhisperer-Scanners.csv', 'Scanners.csv'] },

  // Other people's honeypots and reports: osint, for the interface reserves honeypot_* for the service's own collection
  { ...risk('shadowwhisperer-threats', 'ShadowWhisperer: honeypot hits with first and last sighting', 'shadowwhisperer', 'osint', 'appearance'), ...SHADOW,
    url: `${GITHUB}/ShadowWhisperer/IPs/master/Lists/Threats.csv`, bounds: { minRows: 2000, maxRows: 500_000, maxBytes: 64 * MB, ...HOSTS },
    format: csv('ip', { time: 'last_seen', firstTime: 'first_seen' }), files: ['shadowwhisperer-Threats.csv', 'Threats.csv'] },
  { ...risk('shadowwhisperer-probes', 'ShadowWhisperer: probes', 'shadowwhisperer', 'osint'), ...SHADOW, url: `${GITHUB}/ShadowWhisperer/IPs/master/Lists/Probes`,
    bounds: { minRows: 500, maxRows: 200_000, maxBytes: 16 * MB, ...HOSTS }, format: ips, files: ['shadowwhisperer-Probes.txt', 'Probes'] },
  { ...risk('blocklist-de-ssh', 'blocklist.de: SSH password attacks of the last 48 hours', 'blocklist-de', 'osint'), ...BLOCKLIST_DE, url: 'https://lists.blocklist.de/lists/ssh.txt',
    bounds: { minRows: 500, maxRows: 200_000, maxBytes: 16 * MB, ...HOSTS }, format: ips, files: ['blocklist-de-ssh.txt'], ...offSchedule('all of it is in blocklist-de') },
  { ...risk('oxl-reports', 'O-X-L: dated abuse reports', 'oxl', 'osint', 'events'), clock: 'stated', ...OXL, url: '', ...offSchedule('an archive of 2024'), bounds: { minRows: 1, maxRows: 5_000_000, maxBytes: 512 * MB },
    format: csv('ip', { time: 'time' }), files: ['oxl-reports.csv'] },
  { ...risk('cowrie', 'Own Cowrie honeypot', 'own-sensors', 'honeypot_scan', 'events'), clock: 'stated', url: '', licence: 'own data', attribution: 'own sensors', redistribution: 'fetch-only', ...offSchedule('own data, imported from files'),
    cadenceMin: 60, maxAgeHours: 24, bounds: { minRows: 0, emptyShows: '"eventid"', maxRows: 50_000_000, maxBytes: 1024 * MB, ...HOSTS }, format: { kind: 'cowrie' }, files: ['cowrie.json'] },

  // Candidates by reverse name and port, not devices that were seen to relay: threat-listed, never hijacked_proxy
  { ...risk('oxl-hacked', 'O-X-L: hosts that may be hacked', 'oxl', 'osint'), ...OXL, ...OXL_DEAD, url: `${GITHUB}/O-X-L/risk-db-lists/main/ip/kind_maybe_hacked.txt`,
    bounds: { minRows: 500, maxRows: 500_000, maxBytes: 16 * MB, ...HOSTS }, format: ips, files: ['oxl-ip-kind_maybe_hacked.txt'] },

  // Serverless egress: the one tag of a cloud that is a platform's own, not rented machines
  { ...risk('azure-appservice', 'Azure App Service and Functions egress', 'microsoft-azure', 'cloud_service'), url: 'https://www.microsoft.com/en-us/download/details.aspx?id=56519',
    linkPattern: 'https://download\\.microsoft\\.com/download/[^":\\s]*ServiceTags_Public_\\d{8}\\.json', licence: 'published by the operator, no licence stated', attribution: 'Microsoft', redistribution: 'fetch-only',
    cadenceMin: 1440, maxAgeHours: 336, bounds: { minRows: 100, maxRows: 50_000, maxBytes: 64 * MB }, format: json('/values/*[name=AppService]/properties/addressPrefixes/*'), files: ['azure-service-tags.json'] },
];

export const RISK_FEEDS: readonly Feed[] = ROWS.map(feedOf);

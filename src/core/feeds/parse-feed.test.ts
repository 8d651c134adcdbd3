import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hostileJson } from '../../../test/support/hostile-json.ts';
import { OWN_RISK_TYPES, RISK_TYPES } from '../../contract/risk.ts';
import { WIDEST_NETWORK } from '../evidence/intake-refusals.ts';
import { formatPrefix } from '../ip/format-address.ts';
import type { FeedFormat, ParsedFeed } from './feed.ts';
import { readFeedlog } from './feedlog.ts';
import { parseFeed, rowOptionsOf } from './parse-feed.ts';

const read = (text: string, format: FeedFormat): ParsedFeed =>
  parseFeed(new TextEncoder().encode(text), format, { riskType: 'proxy', widest: WIDEST_NETWORK, ownKinds: true });

/** Rows as text: prefix, risk type when not the feed's own, own time, pool. */
const rowsOf = ({ batch }: ParsedFeed): string[] =>
  Array.from({ length: batch.length }, (_, row) => {
    const [w0, w1, w2, w3] = batch.words.subarray(4 * row, 4 * row + 4) as unknown as [number, number, number, number];
    const type = RISK_TYPES[batch.type[row]!]!;
    const at = batch.capturedAt[row]!;
    return [
      formatPrefix({ family: batch.family[row] === 6 ? 6 : 4, w0, w1, w2, w3, bits: batch.bits[row]! }),
      ...(type === 'proxy' ? [] : [type]),
      ...(Number.isNaN(at) ? [] : [new Date(at).toISOString()]),
      ...(batch.pool[row] === 0 ? [] : [batch.pools[batch.pool[row]!]!]),
    ].join(' ');
  });

const refusedOf = ({ refused }: ParsedFeed): Record<string, number> => Object.fromEntries(refused);

test('plain lists: comments, trailing words, Windows line ends and a missing last line end', () => {
  const parsed = read(
    '\ufeff# title\r\n\r\n8.8.8.8\r\n 9.9.9.0/24 ; SBL1\r\n; note\n// note\n1.1.1.9,AS13335\n8.8.4.4#dns\n2620:fe::fe',
    { kind: 'lines' },
  );
  assert.deepEqual(rowsOf(parsed), ['8.8.8.8/32', '9.9.9.0/24', '1.1.1.9/32', '8.8.4.4/32', '2620:fe::fe/128']);
  assert.deepEqual(refusedOf(parsed), {});
});

test('plain lists: the networks with enough distinct addresses of a list, in place of those', () => {
  const list =
    '9.9.9.1;A\n9.9.9.2;A\n9.9.9.2;A\n8.8.8.1\n8.8.8.2\n8.8.8.255\n8.8.4.0/24\n2620:fe::1\n10.0.0.1\n10.0.0.2\n10.0.0.3';
  const parsed = read(list, { kind: 'lines', networksOf: { bits: 24, least: 3, share: 0 } });
  assert.deepEqual(rowsOf(parsed), ['8.8.8.0/24']);
  assert.deepEqual([parsed.rows, refusedOf(parsed)], [1, { reserved_address: 1 }]);
  const denser = read(list, { kind: 'lines', networksOf: { bits: 24, least: 2, share: 0.3 } });
  assert.deepEqual(rowsOf(denser), ['8.8.8.0/24'], 'a larger list asks more of a network: three of eight here');
});

test('plain lists: every line that is not a public address is refused with its reason and counted', () => {
  const parsed = read(
    '8.8.8.8\nexample.com\n8.8.8\n8.8.8.8:80\n8.8.8.8/33\n8.8.8.8x\n10.0.0.1\n192.168.0.0/16\n127.0.0.1\nfe80::1\n2001:db8::1\n8.0.0.0/7\n2000::/3\n',
    { kind: 'lines' },
  );
  assert.deepEqual(rowsOf(parsed), ['8.8.8.8/32']);
  assert.deepEqual(refusedOf(parsed), { not_an_address: 5, reserved_address: 5, prefix_too_wide: 2 });
});

test('a list of addresses takes no row whose address goes on behind a blank', () => {
  const rows = [
    '8.8.8.8 - 12',
    '8.8.8.0 /24',
    '8.8.8.0\t255.255.255.0',
    '8.8.8.8-12',
    '8.8.8.8/24/x',
    '8.8.8.8 - seen 3',
    '8.8.8.8\t255',
  ];
  const parsed = read(rows.join('\n'), { kind: 'lines' });
  assert.deepEqual([parsed.rows, refusedOf(parsed)], [2, { not_an_address: 5 }]);
});

test('plain lists: the same address twice is one row, and both are counted as read', () => {
  const parsed = read('http://8.8.8.8:80\nsocks5://8.8.8.8:1080\n8.8.8.8', { kind: 'lines', ports: true });
  assert.deepEqual(rowsOf(parsed), ['8.8.8.8/32']);
  assert.equal(parsed.rows, 3);
});

test('host:port lists: schemes, IPv6 in brackets and impossible ports', () => {
  const parsed = read(
    '8.8.8.8:3128\nhttp://8.8.4.4:80/\n[2620:fe::9]:443\nsocks4://[2620:fe::fe]:1080\n8.8.8.9:0\n8.8.8.9:65536\n8.8.8.9:\nftp//8.8.8.9\n',
    {
      kind: 'lines',
      ports: true,
    },
  );
  assert.deepEqual(rowsOf(parsed), ['8.8.8.8/32', '8.8.4.4/32', '2620:fe::9/128', '2620:fe::fe/128']);
  assert.deepEqual(refusedOf(parsed), { not_an_address: 4 });
});

test('lists of URLs: the host is the address, whatever the path, and domain names are passed over', () => {
  const list = [
    '# Last updated: 2025-11-12 01:18:04 (UTC)              #',
    'http://8.8.8.8:41234/bin.sh',
    'http://8.8.4.4/i',
    'https://9.9.9.9/24',
    'http://[2620:fe::9]/x',
    'http://evil.example/8.8.1.1',
    'http://1.1.1.1evil.example/',
  ];
  const parsed = read(list.join('\n'), { kind: 'lines', ports: true, mixed: true });
  assert.deepEqual(rowsOf(parsed), ['8.8.8.8/32', '8.8.4.4/32', '9.9.9.9/32', '2620:fe::9/128']);
  assert.deepEqual(refusedOf(parsed), { other_indicator: 2 });
  assert.equal(parsed.publishedAt, Date.UTC(2025, 10, 12, 1, 18, 4), 'abuse.ch writes the zone in parentheses');
});

test('lists with a count keep the rows that reach it, on both sides of the bound', () => {
  const parsed = read('# IP\tcount\n8.8.8.8\t3\n8.8.4.4\t2\n9.9.9.9\t10\n1.1.1.1\n', { kind: 'lines', minCount: 3 });
  assert.deepEqual(rowsOf(parsed), ['8.8.8.8/32', '9.9.9.9/32']);
  assert.deepEqual(refusedOf(parsed), { below_count: 2 });
});

test('mixed lists pass other indicators over', () => {
  const parsed = read('# x\n/bins/mips\nevil.example\n8.8.8.8:23\n', { kind: 'lines', ports: true, mixed: true });
  assert.deepEqual(rowsOf(parsed), ['8.8.8.8/32']);
  assert.deepEqual(refusedOf(parsed), { other_indicator: 2 });
});

test('lists of AS numbers: prefix, quotes, header, and numbers out of range', () => {
  const parsed = read(
    'ASN,Entity\nAS13335 # Cloudflare\n"20248","Take 2, Inc."\n64512, "x"\n0\n4294967295\nAS\nASx\n13335\n',
    { kind: 'asns' },
  );
  assert.deepEqual([...parsed.asns], [13335, 20248, 64512]);
  assert.deepEqual(refusedOf(parsed), { not_an_asn: 4 });
});

test('CSV: named columns, quotes, pools, dropped values, and both sightings of a row', () => {
  const format: FeedFormat = {
    kind: 'csv',
    header: true,
    ip: 'ip',
    time: 'last_seen',
    firstTime: 'first_seen',
    pool: 'company',
    drop: { column: 'company', values: ['Tor'] },
    types: { column: 'tags', contains: [['credential', 'honeypot_credential']] },
  };
  const parsed = read(
    'ip,company,tags,first_seen,last_seen\n8.8.8.8,"Proton, ""VPN""",,2026-03-06,2026-05-31\n8.8.4.4,X,[credential stuffing],2026-05-02,2026-05-02\n1.1.1.1,tor,,2026-01-01,2026-01-01\n9.9.9.9,X,,,2026-02-30\n',
    format,
  );
  assert.deepEqual(rowsOf(parsed), [
    '8.8.8.8/32 2026-05-31T00:00:00.000Z protonvpn',
    '8.8.8.8/32 2026-03-06T00:00:00.000Z protonvpn',
    '8.8.4.4/32 honeypot_credential 2026-05-02T00:00:00.000Z x',
  ]);
  assert.deepEqual(refusedOf(parsed), { dropped: 1, bad_time: 1 });
  assert.equal(parsed.rows, 2);
});

test('CSV: ranges become their covering prefixes, and a header without the column refuses every row', () => {
  assert.deepEqual(rowsOf(read('8.8.4.0,8.8.6.255,x\n', { kind: 'csv', header: false, ip: 0, end: 1 })), [
    '8.8.4.0/23',
    '8.8.6.0/24',
  ]);
  assert.deepEqual(refusedOf(read('8.8.6.0,8.8.4.0\n8.8.8.8,::1\n', { kind: 'csv', header: false, ip: 0, end: 1 })), {
    not_a_range: 2,
  });
  assert.deepEqual(refusedOf(read('address,x\n8.8.8.8,1\n8.8.4.4,1\n', { kind: 'csv', header: true, ip: 'ip' })), {
    column_missing: 2,
  });
});

test('JSON: the shapes of AWS, Azure, Google, Oracle and plain keys', () => {
  const json = (value: unknown, ...paths: string[]) => rowsOf(read(JSON.stringify(value), { kind: 'json', paths }));
  const aws = {
    prefixes: [
      { ip_prefix: '3.4.12.4/32', service: 'EC2' },
      { ip_prefix: '3.5.0.0/19', service: 'CLOUDFRONT' },
    ],
    ipv6_prefixes: [{ ipv6_prefix: '2600:1f00::/24' }],
  };
  assert.deepEqual(json(aws, '/prefixes/*/ip_prefix', '/ipv6_prefixes/*/ipv6_prefix'), [
    '3.4.12.4/32',
    '3.5.0.0/19',
    '2600:1f00::/24',
  ]);
  assert.deepEqual(json(aws, '/prefixes/*[service=CLOUDFRONT]/ip_prefix'), ['3.5.0.0/19']);
  const azure = {
    values: [
      { name: 'AppService', properties: { addressPrefixes: ['13.64.73.110/32'] } },
      { name: 'Sql', properties: { addressPrefixes: ['13.65.0.0/32'] } },
    ],
  };
  assert.deepEqual(json(azure, '/values/*[name=AppService]/properties/addressPrefixes/*'), ['13.64.73.110/32']);
  assert.deepEqual(
    json(
      { prefixes: [{ ipv4Prefix: '66.249.64.0/27' }, { ipv6Prefix: '2001:4860:4801:10::/64' }] },
      '/prefixes/*/ipv4Prefix',
      '/prefixes/*/ipv6Prefix',
    ),
    ['66.249.64.0/27', '2001:4860:4801:10::/64'],
  );
  assert.deepEqual(json({ regions: [{ cidrs: [{ cidr: '129.146.0.0/21' }] }] }, '/regions/*/cidrs/*/cidr'), [
    '129.146.0.0/21',
  ]);
  assert.deepEqual(json({ '98.98.171.57': 30 }, '/~keys'), ['98.98.171.57/32']);
  assert.deepEqual(
    json(
      { relays: [{ exit_addresses: ['8.8.8.8'], or_addresses: ['9.9.9.9:443', '[2620:fe::9]:443'] }] },
      '/relays/*/exit_addresses/*',
      '/relays/*/or_addresses/*',
    ),
    ['8.8.8.8/32', '9.9.9.9/32', '2620:fe::9/128'],
  );
});

test('JSON: broken documents, missing members and wrong values', () => {
  assert.deepEqual(refusedOf(read('{"prefixes": [', { kind: 'json', paths: ['/x'] })), { not_json: 1 });
  const parsed = read('[{"ip":"8.8.8.8"},{"ip":null},{},{"ip":7},{"ip":"x"}]', { kind: 'json', paths: ['/*/ip'] });
  assert.deepEqual(rowsOf(parsed), ['8.8.8.8/32']);
  assert.deepEqual(refusedOf(parsed), { not_an_address: 2 });
});

test('JSON: a first line followed by a signature, and MISP attributes with their times', () => {
  assert.deepEqual(rowsOf(read('{"a":["8.8.8.8"]}\n\nMEUCIQ', { kind: 'json', paths: ['/a/*'], firstLine: true })), [
    '8.8.8.8/32',
  ]);
  const event = {
    Event: {
      Attribute: [
        { type: 'ip-dst', value: '8.8.8.8', timestamp: '1755820800' },
        { type: 'domain', value: 'x.example' },
        { type: 'ip-dst|port', value: '8.8.4.4:443', timestamp: 'x' },
      ],
    },
  };
  const parsed = read(JSON.stringify(event), {
    kind: 'json',
    paths: ['/Event/Attribute/*[type=ip-src|ip-dst]/value', '/Event/Attribute/*[type=domain]/value'],
    time: 'timestamp',
  });
  assert.deepEqual(refusedOf(parsed), { not_an_address: 1 });
});

test('MISP events: addresses for detection, of the event and its objects, at the time they were last seen or written', () => {
  const event = (Attribute: object[], objects: object[] = []): string =>
    JSON.stringify({ Event: { Attribute, Object: [{ Attribute: objects }] } });
  const [to_ids, timestamp] = [true, '1755820800'];
  const text = [
    event(
      [
        { type: 'ip-dst', value: '8.8.8.8', to_ids, timestamp },
        { type: 'ip-src', value: '8.8.8.9', to_ids: false, timestamp },
        { type: 'ip-src', value: '8.8.8.10', to_ids, timestamp, deleted: true },
        { type: 'domain', value: '8.8.8.11', to_ids, timestamp },
        { type: 'ip-src', value: 'example.com', to_ids, timestamp },
        { type: 'ip-src', value: '8.8.8.12', to_ids },
      ],
      [{ type: 'ip-dst|port', value: '8.8.4.4|443', to_ids, timestamp, last_seen: '2025-08-22T01:00:00.000000+00:00' }],
    ),
    '{"Event":null}',
    '{"response":[]}',
    'no json',
  ].join('\n');
  const parsed = read(text, { kind: 'misp' });
  assert.deepEqual(rowsOf(parsed), ['8.8.8.8/32 2025-08-22T00:00:00.000Z', '8.8.4.4/32 2025-08-22T01:00:00.000Z']);
  assert.deepEqual(refusedOf(parsed), { not_for_detection: 2, not_an_address: 1, bad_time: 1, not_misp: 3 });
});

test('Cowrie: connections are scans, login attempts credential attacks, at the event’s own time', () => {
  const parsed = read(
    [
      { eventid: 'cowrie.session.connect', src_ip: '8.8.8.8', timestamp: '2026-08-22T00:00:01.123456Z' },
      { eventid: 'cowrie.login.failed', src_ip: '8.8.8.8', username: 'root', timestamp: '2026-08-22T00:00:02.000000Z' },
      { eventid: 'cowrie.login.success', src_ip: '8.8.4.4', timestamp: '2026-08-22T00:00:03Z' },
      { eventid: 'cowrie.command.input', src_ip: '8.8.4.4', timestamp: '2026-08-22T00:00:04Z' },
      { eventid: 'cowrie.session.connect', src_ip: '192.168.1.2', timestamp: '2026-08-22T00:00:05Z' },
      { eventid: 'cowrie.session.connect', src_ip: '8.8.4.4' },
    ]
      .map((event) => JSON.stringify(event))
      .join('\n'),
    { kind: 'cowrie' },
  );
  assert.deepEqual(rowsOf(parsed), [
    '8.8.8.8/32 honeypot_scan 2026-08-22T00:00:01.123Z',
    '8.8.8.8/32 honeypot_credential 2026-08-22T00:00:02.000Z',
    '8.8.4.4/32 honeypot_credential 2026-08-22T00:00:03.000Z',
  ]);
  assert.deepEqual(refusedOf(parsed), { other_event: 1, reserved_address: 1, bad_time: 1 });
});

test('STIX 2.1: addresses in patterns with their valid_from, observables, revoked and foreign indicators', () => {
  const bundle = {
    type: 'bundle',
    objects: [
      {
        type: 'indicator',
        pattern: "[ipv4-addr:value = '8.8.8.8' OR ipv6-addr:value = '2620:fe::9']",
        valid_from: '2026-08-01T00:00:00Z',
      },
      { type: 'indicator', pattern: "[domain-name:value = 'x.example']", valid_from: '2026-08-01T00:00:00Z' },
      {
        type: 'indicator',
        pattern: "[ipv4-addr:value = '8.8.4.4']",
        revoked: true,
        valid_from: '2026-08-01T00:00:00Z',
      },
      { type: 'ipv4-addr', value: '9.9.9.0/24' },
      { type: 'malware', name: 'x' },
    ],
  };
  const parsed = read(JSON.stringify(bundle), { kind: 'stix' });
  assert.deepEqual(rowsOf(parsed), [
    '8.8.8.8/32 2026-08-01T00:00:00.000Z',
    '2620:fe::9/128 2026-08-01T00:00:00.000Z',
    '9.9.9.0/24',
  ]);
  assert.deepEqual(refusedOf(parsed), { other_indicator: 1, revoked: 1 });
  assert.deepEqual(refusedOf(read('{}', { kind: 'stix' })), { not_stix: 1 });
});

test('registry statistics: counts become prefixes, other states are left', () => {
  const text =
    '2|nro|20260801|1|19700101|20260801|+0000\nnro|*|ipv4|*|1|summary\nripencc|ZZ|ipv4|8.8.0.0|768|20260801|available|x\nripencc|ZZ|ipv6|2a00::|20|20260801|reserved|x\narin|US|ipv4|9.9.9.0|256|20260801|assigned|x\narin|US|asn|1|1|20260801|available|x\nx|ZZ|ipv4|8.8.8.0|0|x|available\n';
  const parsed = read(text, { kind: 'rir', status: ['available', 'reserved'] });
  assert.deepEqual(rowsOf(parsed), ['8.8.0.0/23', '8.8.2.0/24', '2a00::/20']);
  assert.deepEqual(refusedOf(parsed), { other_status: 1, not_a_range: 1 });
});

test('the publication time a list states in its comments is read in every spelling met', () => {
  for (const [line, expected] of [
    ['# Last update: 2026-08-22 01:01:44.702260', '2026-08-22T01:01:44.702Z'],
    ['# Last update: Sat, 22 Aug 2026 03:00:29 +0200', '2026-08-22T01:00:29.000Z'],
    ['# Last update: Wed Oct 08 2025 01:02:29 GMT+0000 (Coordinated Universal Time)', '2025-10-08T01:02:29.000Z'],
    ['; Last-Modified: Sat, 22 Aug 2026 12:00:00 GMT', '2026-08-22T12:00:00.000Z'],
    ['# Last updated: 2026-08-22 12:00:00 UTC  #', '2026-08-22T12:00:00.000Z'],
    ['# Last update: yesterday', undefined],
    ['Last update: 2026-08-22', undefined],
  ] as const) {
    const { publishedAt } = read(`${line}\n8.8.8.8\n`, { kind: 'lines' });
    assert.equal(publishedAt === undefined ? undefined : new Date(publishedAt).toISOString(), expected, line);
  }
});

test('JSON of any form is refused row by row: no type of a field throws, and the good row next to it is taken', () => {
  const json = JSON.stringify;
  const good = '8.8.8.8';
  const to_ids = true;
  const timestamp = '1755820800';
  const time = '2026-01-01T00:00:00Z';
  const forms: readonly (readonly [FeedFormat, (fields: object) => string])[] = [
    [
      { kind: 'json', paths: ['/*/ip', '/*[kind=a|1]/ip'], time: 'at' },
      (row) => json([{ ip: '8.8.4.4', ...row }, { ip: good }]),
    ],
    [
      { kind: 'cowrie' },
      (row) =>
        `${json({ eventid: 'cowrie.login.failed', timestamp: time, src_ip: '8.8.4.4', ...row })}\n${json({ eventid: 'cowrie.login.failed', timestamp: time, src_ip: good })}`,
    ],
    [
      { kind: 'stix' },
      (row) => json({ objects: [{ type: 'indicator', ...row }, row, { type: 'ipv4-addr', value: good }] }),
    ],
    [
      { kind: 'misp' },
      (row) =>
        `${json({
          Event: {
            Attribute: [
              { type: 'ip-src', to_ids, ...row },
              { type: 'ip-src', value: good, to_ids, timestamp },
            ],
            Object: [row],
          },
        })}`,
    ],
  ];
  const names = [
    'ip',
    'risk_type',
    'captured_at',
    'pool',
    'at',
    'kind',
    'eventid',
    'timestamp',
    'src_ip',
    'type',
    'value',
    'revoked',
    'valid_from',
    'pattern',
  ];
  const field = fc.constantFrom(...names, 'modified', 'to_ids', 'deleted', 'last_seen', 'Attribute', 'Object');
  for (const [format, text] of forms)
    fc.assert(
      fc.property(fc.dictionary(field, hostileJson, { minKeys: 1, maxKeys: 3 }), (row) => {
        assert.ok(rowsOf(read(text(row), format)).some((taken) => taken.startsWith(`${good}/32`)));
      }),
      { numRuns: 60 },
    );
});

test('an event or a brand that is named like a member of every object is not one we know', () => {
  const event = '{"eventid":"constructor","timestamp":"2026-01-01T00:00:00Z","src_ip":"8.8.8.8"}';
  assert.deepEqual(refusedOf(read(event, { kind: 'cowrie' })), { other_event: 1 });
  const types = (name: string): string => `{"type":"${name}","value":{"toString":1}}`;
  assert.deepEqual(refusedOf(read(`{"objects":[${types('ipv4-addr')},${types('identity')},7]}`, { kind: 'stix' })), {
    not_an_address: 1,
    bad_object: 1,
  });
});

test('a list that names more pools than a batch can number loses those rows and no others', () => {
  const lines = Array.from({ length: 65_540 }, (_, i) => `8.8.8.8,p${i}`);
  assert.deepEqual(
    refusedOf(
      read(['ip,pool', ...lines, '8.8.4.4,'].join('\n'), { kind: 'csv', header: true, ip: 'ip', pool: 'pool' }),
    ),
    {
      too_many_pools: 5,
    },
  );
});

test('rows of kinds that only own collection brings are refused with their reason, in every format and in histories', () => {
  const json = JSON.stringify;
  const published = rowOptionsOf({
    family: 'somebody',
    bounds: { minRows: 0, maxRows: 9, maxBytes: 9 },
    effect: { kind: 'risk', riskType: 'osint' },
  });
  const outcome = (text: string, format: FeedFormat, options = published) => {
    const parsed = parseFeed(new TextEncoder().encode(text), format, options);
    return [parsed.rows, refusedOf(parsed)];
  };
  const refused = { own_collection_only: 1 };
  for (const type of OWN_RISK_TYPES) {
    assert.deepEqual(
      outcome('ip,tags\n8.8.8.8,ssh\n8.8.4.4,web\n', {
        kind: 'csv',
        header: true,
        ip: 'ip',
        types: { column: 'tags', contains: [['ssh', type]] },
      }),
      [1, refused],
    );
    assert.deepEqual(outcome('8.8.8.8\n', { kind: 'lines' }, { riskType: type }), [0, refused]);
    const log = `${json({ format: 'feedlog/1', repo: 'a/b', path: 'c' })}\n${json({ t: '2026-08-22T00:00:00Z', full: ['8.8.8.8'] })}\n`;
    assert.deepEqual(
      [...readFeedlog(log, { riskType: type })].map(({ batch }) => batch.length),
      [0],
    );
  }
  const login = json({ eventid: 'cowrie.login.failed', src_ip: '8.8.8.8', timestamp: '2026-08-22T00:00:02Z' });
  assert.deepEqual(outcome(login, { kind: 'cowrie' }), [0, refused]);
  const own = rowOptionsOf({
    family: 'own-sensors',
    bounds: { minRows: 0, maxRows: 9, maxBytes: 9 },
    effect: { kind: 'risk', riskType: 'honeypot_scan' },
  });
  assert.deepEqual(outcome(login, { kind: 'cowrie' }, own), [1, {}]);
});

test('geofeeds: cells after the country, names too long left out, and a row without a place', () => {
  const long = 'x'.repeat(101);
  const parsed = read(
    `# RFC 8805\n8.8.8.0/24,ca,CA-NS,"Sydney, Old",B1P\n8.8.4.0/24,US,${long},Reno\n1.1.1.0/24,,,,\n1.0.0.0/24,EU,,,\n9.9.9.0/24,US\nhost,US,,,\n`,
    { kind: 'csv', header: false, ip: 0, country: 1, region: 2, city: 3 },
  );
  assert.deepEqual(parsed.places, [
    '8.8.8.0/24,CA,CA-NS,"Sydney, Old"',
    '8.8.4.0/24,US,,Reno',
    '1.1.1.0/24,,,',
    '9.9.9.0/24,US,,',
  ]);
  assert.deepEqual([parsed.rows, refusedOf(parsed)], [5, { not_an_address: 1 }]);
});

test('JSON: the region beside a value or above it gives its place, and names that begin alike are picked', () => {
  const places = new Map([
    ['east', 'US,US-VA,Ashburn'],
    ['north', 'IE,,Dublin'],
  ]);
  const document = JSON.stringify({
    values: [
      { name: 'Cloud', properties: { region: '', prefixes: ['8.8.0.0/16'] } },
      { name: 'Cloud.east', properties: { region: 'east', prefixes: ['8.8.8.0/24', '10.0.0.0/33'] } },
      { name: 'Other.north', properties: { region: 'north', prefixes: ['9.9.9.0/24'] } },
    ],
    prefixes: [
      { net: '1.1.1.0/24', region: 'north' },
      { net: '1.0.0.0/24', region: 'constructor' },
    ],
  });
  const parsed = read(document, {
    kind: 'json',
    paths: [
      '/values/*[name=Cloud]/properties/prefixes/*',
      '/values/*[name^=Cloud.]/properties/prefixes/*',
      '/prefixes/*/net',
    ],
    region: { key: 'region', places },
  });
  assert.deepEqual(rowsOf(parsed), ['8.8.0.0/16', '8.8.8.0/24', '1.1.1.0/24', '1.0.0.0/24']);
  assert.deepEqual(parsed.places, ['8.8.8.0/24,US,US-VA,Ashburn', '1.1.1.0/24,IE,,Dublin']);
});

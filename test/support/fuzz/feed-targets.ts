import assert from 'node:assert/strict';
import { CATALOGUE } from '../../../src/adapters/feeds/catalogue.ts';
import { CaptureReader } from '../../../src/core/evidence/capture-reader.ts';
import { refusePrefix, WIDEST_EVIDENCE } from '../../../src/core/evidence/intake-refusals.ts';
import type { CaptureBatch } from '../../../src/core/evidence/observation.ts';
import { coverageOf } from '../../../src/core/feeds/coverage.ts';
import type { FeedFormat, ParsedFeed } from '../../../src/core/feeds/feed.ts';
import { readFeedlog } from '../../../src/core/feeds/feedlog.ts';
import { parseFeed } from '../../../src/core/feeds/parse-feed.ts';
import { recentEvents } from '../../../src/core/feeds/parse-misp.ts';
import { type FuzzTarget, text } from './fuzz-target.ts';

/**
 * Each format has a short list. Formats with settings have several, because each setting has paths and
 * columns of its own.
 */
const LISTS: Readonly<Record<FeedFormat['kind'], readonly string[]>> = {
  lines: [
    '# Date: 2026-11-20\n8.8.8.8\n1.2.3.0/24 ; x\nhttp://9.9.9.9:80/a\n[2001:4860::1]:443\n5.5.5.5\t7\nexample.com\n',
    '\ufeff1.1.1.1,2\r\n// x\r\n2606:4700::/48\r\n',
  ],
  asns: ['AS13335\n15169 # x\nasn,1\n', 'asn,name\n4294967295,"x"\n'],
  csv: [
    '"first_seen","ip","port","c","d","e","f","g"\n"2026-11-20 10:00:00","8.8.8.8","443","online","2026-11-20","x","y","z"\n',
    '8.8.8.0\t8.8.8.255\t24\t7\tx\n9.9.9.9\t9.9.9.9\t32\n',
    'ip,type,brand,time\n8.8.4.4,VPN,"a ""b"", c",2026-11-20T10:00:00Z\n',
  ],
  json: [
    '{"a":1}\n<pre><code>{&quot;8.8.8.8&quot;: 29, &quot;9.9.9.9&quot;: 3}</code></pre>',
    '{"8.8.8.8":29,"9.9.9.9":3}',
    '{"relays":[{"exit_addresses":["8.8.8.8"],"or_addresses":["9.9.9.9:9001","[2001:4860::1]:9001"]}],"servers":[{"ip_v4_in1":"8.8.4.4"}]}',
    '[{"status":"online","station":"8.8.8.8","active":true,"ipv4_addr_in":"9.9.9.9","host":"5.5.5.5","exit_ip":"6.6.6.6"}]',
    '{"regions":[{"offline":false,"servers":{"wg":[{"ip":"8.8.8.8"}]}}],"values":[{"name":"AppService","properties":{"addressPrefixes":["20.0.0.0/16"]}}]}',
    '{"prefixes":[{"ipv4Prefix":"8.8.8.0/24","ip_prefix":"3.5.140.0/22"}],"wireguard":[{"hosts":[{"host":"8.8.8.8"}]}]}\nsignature',
  ],
  rir: [
    '2|nro|20261120|1|19700101|20261120|+0000\nripencc|DE|ipv4|5.5.5.0|256|20100101|allocated|x\nripencc|DE|ipv6|2001:4860::|32|20100101|available\nafrinic|ZZ|ipv4|9.9.9.0|768||reserved\n',
  ],
  stix: [
    '{"type":"bundle","objects":[{"type":"indicator","pattern":"[ipv4-addr:value = \'8.8.8.8\' OR ipv6-addr:value=\'2001:4860::1\']","valid_from":"2026-11-20T10:00:00Z"},{"type":"ipv4-addr","value":"9.9.9.9"}]}',
  ],
  misp: [
    '{"Event":{"Attribute":[{"type":"ip-dst|port","value":"8.8.8.8|443","to_ids":true,"timestamp":"1763000000"}],"Object":[{"Attribute":[{"type":"ip-src","value":"9.9.9.9","to_ids":true,"last_seen":"2026-11-20T10:00:00+00:00"}]}]}}\n',
  ],
  cowrie: [
    '{"eventid":"cowrie.login.failed","timestamp":"2026-11-20T10:00:00.000000Z","src_ip":"8.8.8.8"}\n{"eventid":"cowrie.session.connect","timestamp":1763000000,"src_ip":"9.9.9.9"}\n',
  ],
};

const FORMATS: readonly FeedFormat[] = [
  ...new Map(CATALOGUE.map(({ format }) => [JSON.stringify(format), format])).values(),
];

/** Refuses rows that no list may bring, whatever is in it. */
function checkBatch(
  { length, family, words, bits, type, capturedAt, pool, pools }: CaptureBatch,
  widest = WIDEST_EVIDENCE,
  keepReserved = false,
): void {
  assert.ok(
    [family, bits, type, pool, capturedAt].every((column) => column.length === length) && words.length === 4 * length,
  );
  for (let row = 0; row < length; row++) {
    const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = words.subarray(4 * row, 4 * row + 4);
    const prefix = { family: family[row] as 4 | 6, w0, w1, w2, w3, bits: bits[row]! };
    assert.equal(refusePrefix(prefix, widest, keepReserved), undefined, JSON.stringify(prefix));
    assert.ok(pool[row]! < pools.length, 'a pool that has no name');
  }
}

const summary = ({ batch, asns, rows, refused, publishedAt }: ParsedFeed): unknown => [
  rows,
  [...refused],
  publishedAt,
  [...asns],
  batch.length,
  [...batch.words],
  [...batch.capturedAt],
  batch.pools,
  coverageOf(batch),
];

const formatTarget = (format: FeedFormat): FuzzTarget => ({
  name: `feed-${format.kind}`,
  seeds: LISTS[format.kind].map(text),
  share: 1 / FORMATS.filter(({ kind }) => kind === format.kind).length,
  read: (input) => {
    const parsed = parseFeed(input, format, { riskType: 'proxy' });
    checkBatch(parsed.batch);
    assert.ok(parsed.rows >= 0 && [...parsed.refused.values()].every((count) => count > 0));
    return summary(parsed);
  },
});

function captures(input: Uint8Array, pieces: number): unknown {
  const reader = new CaptureReader();
  const step = Math.max(1, Math.ceil(input.length / pieces));
  for (let at = 0; at < input.length; at += step) reader.write(input.subarray(at, at + step));
  reader.end();
  const batch = reader.take();
  checkBatch(batch);
  return [reader.lines, [...reader.refused], batch.length, [...batch.words], [...batch.capturedAt], batch.pools];
}

export const FEED_TARGETS: readonly FuzzTarget[] = [
  ...FORMATS.map(formatTarget),
  {
    name: 'captures',
    seeds: [
      '8.8.8.8\n# x\n1.2.3.0/24\n',
      'ip,risk_type,captured_at,pool\n8.8.8.8,proxy,2026-11-20T10:00:00Z,"a, b"\n',
      '{"ip":"8.8.8.8","risk_type":"proxy","captured_at":"2026-11-20T10:00:00Z","pool":"vendor"}\n{"ip":"9.9.9.0/24","captured_at":1763000000}\n',
    ].map(text),
    // The result does not depend on the pieces it came in.
    read: (input) => {
      const whole = captures(input, 1);
      assert.deepStrictEqual(captures(input, 7), whole);
      return whole;
    },
  },
  {
    name: 'feedlog',
    seeds: [
      '{"format":"feedlog/1","repo":"a/b","path":"c.txt","versions":2}\n{"t":"2026-11-20T10:00:00Z","full":["8.8.8.8","9.9.9.0/24"]}\n{"t":1763000000,"add":["5.5.5.5"],"del":["8.8.8.8"]}\n{"t":"2026-11-21T10:00:00Z"}\n',
    ].map(text),
    read: (input) =>
      Array.from(readFeedlog(input.toString(), { riskType: 'proxy' }), ({ at, batch }) => {
        checkBatch(batch);
        return [at, batch.length];
      }),
    refuses: ({ message }) => /^(?:not a feedlog\/1 header|line \d+: )/.test(message),
  },
  {
    name: 'misp-manifest',
    seeds: [
      '{"5f8f5a3e-1c2d-4e5f-8a9b-0c1d2e3f4a5b":{"timestamp":"1763000000"},"6f8f5a3e-1c2d-4e5f-8a9b-0c1d2e3f4a5b":{"timestamp":1762000000}}',
    ].map(text),
    read: (input) => {
      const events = recentEvents(input, 10);
      // Event ids become a part of an address that is requested.
      for (const uuid of events) assert.match(uuid, /^[0-9a-f-]{36}$/i);
      return events;
    },
    refuses: (error) => error instanceof SyntaxError || error.message === 'the manifest names no events',
  },
];

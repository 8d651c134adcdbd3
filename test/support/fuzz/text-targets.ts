import assert from 'node:assert/strict';
import { plainPath } from '../../../src/apps/http/lane/plain-path.ts';
import { readMessage, rpcError } from '../../../src/apps/mcp/rpc.ts';
import { clientAddress } from '../../../src/core/caller/client-address.ts';
import { hasKeyInQuery, queryFields, queryValue } from '../../../src/core/caller/query.ts';
import { isKeyText, sentKey } from '../../../src/core/caller/sent-key.ts';
import { CsvFields } from '../../../src/core/csv/csv-fields.ts';
import { splitRow } from '../../../src/core/csv/split-row.ts';
import { parseRfc3339 } from '../../../src/core/evidence/parse-rfc3339.ts';
import { readTime, statedPublication } from '../../../src/core/feeds/read-time.ts';
import { formatAddress, formatPrefix } from '../../../src/core/ip/format-address.ts';
import { parseAddress, parseAnyAddress, parsePathAddress } from '../../../src/core/ip/parse-address.ts';
import { parsePrefix } from '../../../src/core/ip/prefix.ts';
import {
  checkRedirectUri,
  isLoopbackRedirect,
  MAX_REDIRECT_URI_LENGTH,
} from '../../../src/core/oauth/check-redirect-uri.ts';
import { cleanClientName, judgeRegistration } from '../../../src/core/oauth/judge-registration.ts';
import { safeNextPath } from '../../../src/core/oauth/safe-next-path.ts';
import { normalise } from '../../../src/core/phone/normalise.ts';
import { type FuzzTarget, text } from './fuzz-target.ts';

const PROXIES = ['127.0.0.1/32', '10.0.0.0/8', '::1/128'].map((prefix) => parsePrefix(prefix)!);
const PEER = parseAnyAddress('127.0.0.1')!;

const textTarget = (name: string, seeds: readonly string[], read: (value: string) => unknown): FuzzTarget => ({
  name,
  seeds: seeds.map(text),
  read: (input) => [read(input.toString('latin1')), read(input.toString('utf8'))],
});

const ADDRESSES = [
  '8.8.8.8',
  '2001:4860::8888',
  '::ffff:1.2.3.4',
  '1.2.3.0/24',
  '2001:db8::/33',
  '%32001%3A4860::1',
  'fe80::1',
  '255.255.255.255',
];

export const TEXT_TARGETS: readonly FuzzTarget[] = [
  textTarget('address', ADDRESSES, (value) => {
    const any = parseAnyAddress(value);
    const prefix = parsePrefix(value);
    // The result is written in one form, which reads back as the same.
    if (any !== undefined) assert.deepStrictEqual(parseAnyAddress(formatAddress(any)), any);
    if (prefix !== undefined) assert.deepStrictEqual(parsePrefix(formatPrefix(prefix)), prefix);
    return [any, prefix, parseAddress(value), parsePathAddress(value)];
  }),
  textTarget(
    'rfc3339',
    [
      '2026-11-20T10:00:00Z',
      '2026-11-20t10:00:00.123456789+08:00',
      '2024-02-29 23:59:60Z',
      '1969-12-31T23:59:59-00:30',
    ],
    (value) => {
      const at = parseRfc3339(value);
      if (at === undefined) return undefined;
      assert.ok(Number.isInteger(at), String(at));
      const year = new Date(at).getUTCFullYear();
      if (year >= 0 && year <= 9999) assert.equal(parseRfc3339(new Date(at).toISOString()), at);
      return at;
    },
  ),
  textTarget(
    'feed-time',
    [
      '2026-11-20 10:00:00',
      '1763000000',
      '1763000000000',
      '2026-11-20',
      '# Last updated: 2026-11-20 10:00:00 UTC',
      '# Date: Thu, 20 Nov 2026 10:00:00 GMT',
    ],
    (value) => {
      const times = [readTime(value), statedPublication(value).publishedAt];
      for (const at of times) assert.ok(at === undefined || Number.isFinite(at), value);
      return times;
    },
  ),
  textTarget(
    'forwarded-for',
    ['203.0.113.9', '203.0.113.9, 10.0.0.1', '[2001:db8::1]:443, 127.0.0.1', 'unknown, 8.8.8.8:80,10.1.1.1', 'a,,b'],
    (value) => {
      const client = clientAddress(PEER, value, PROXIES);
      assert.deepStrictEqual(parseAnyAddress(formatAddress(client)), client);
      // A peer that is not a proxy is not believed.
      const stranger = parseAnyAddress('8.8.8.8')!;
      assert.deepStrictEqual(clientAddress(stranger, value, PROXIES), stranger);
      return client;
    },
  ),
  textTarget(
    'redirect-uri',
    [
      'https://app.example/cb?x=1',
      'http://127.0.0.1:3999/callback',
      'http://[::1]/cb',
      'cursor://anysphere.cursor-mcp/oauth',
      'com.example.app:/cb',
      'http://localhost/',
    ],
    (value) => {
      const verdict = checkRedirectUri(value);
      if (verdict.ok) {
        assert.ok(value.length <= MAX_REDIRECT_URI_LENGTH);
        const url = new URL(value);
        assert.ok(!/^(?:javascript|data|vbscript|file|blob|about):$/.test(url.protocol), value);
        assert.ok(url.hash === '' && url.username === '' && url.password === '', value);
        if (url.protocol === 'http:') assert.match(url.hostname, /^(?:127\.0\.0\.1|\[::1\]|localhost)$/);
        assert.doesNotMatch(value, /[\s\\]/);
      }
      return [verdict, isLoopbackRedirect(value)];
    },
  ),
  textTarget(
    'next-path',
    ['/en/console', '/console/oauth/x?a=b#c', '/%09/evil.example', '//evil.example', '/\\evil.example'],
    (value) => {
      const next = safeNextPath(value);
      // A browser resolves it so, on whatever site this is.
      if (next !== undefined) assert.equal(new URL(next, 'https://pulse.example').origin, 'https://pulse.example');
      return next;
    },
  ),
  textTarget(
    'registration',
    [
      '{"client_name":"App","redirect_uris":["https://app.example/cb"],"grant_types":["authorization_code","refresh_token"],"token_endpoint_auth_method":"none","scope":"ip:lookup"}',
    ],
    (value) => {
      const name = cleanClientName(value);
      assert.doesNotMatch(name, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      assert.equal(cleanClientName(name), name);
      const metadata = objectOf(value);
      const verdict = metadata === undefined ? undefined : judgeRegistration(metadata);
      return [name, verdict];
    },
  ),
  textTarget(
    'query',
    ['at=2026-11-20T08%3A00%3A00%2B08:00&x=1', 'api_key=pk_x', 'a[b]=c&a=%zz&&=', 'Key%5B%5D=1'],
    (value) => {
      const pairs = queryFields(value);
      assert.ok(pairs.length <= value.length + 1);
      return [pairs, hasKeyInQuery(value), queryValue(value, 'at')];
    },
  ),
  textTarget(
    'target',
    ['/v1/ip/8.8.8.8', '/%761/i%70/x?%61=%62', '/en/%6fauth/authorize/x%2Fy', '//a/../b'],
    (value) => {
      const path = plainPath(value);
      assert.equal(plainPath(path), path);
      return path;
    },
  ),
  textTarget('sent-key', ['pk_0123456789abcdefghijklmnopqrstuv', 'Bearer x', 'bearer  y ', 'Basic eDp5'], (value) => [
    sentKey(value, undefined),
    sentKey(undefined, value),
    sentKey(value, value),
    isKeyText(value),
  ]),
  textTarget(
    'phone-number',
    ['+8613800138000', '0086 138-0013-8000', '+65 9123 4567', '(415) 555-0100', '+٨٦١٣٨'],
    (value) => {
      const number = normalise(value);
      if (number !== undefined) assert.match(number.digits, new RegExp(`^${number.callingCode}\\d*$`));
      return number;
    },
  ),
  textTarget('csv-row', ['a,"b ""c"", d",e', ' "x" ,y;z\t', '"open, never closed'], (value) => {
    const line = value.split('\n')[0]!;
    const cells = splitRow(line);
    assert.ok(cells.length <= line.split(',').length && cells.join('').length <= line.length);
    const fields = new CsvFields(',');
    const bytes = text(value);
    const lines: string[][] = [];
    for (let at = 0; at < bytes.length; ) {
      const next = fields.read(bytes, at);
      assert.ok(next > at);
      at = next;
      lines.push(Array.from({ length: fields.count }, (_, column) => fields.text(column)));
    }
    return [cells, lines];
  }),
  textTarget(
    'mcp-message',
    [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ip_risk_lookup","arguments":{"ip":"8.8.8.8"}}}',
      '{"id":null,"method":{"toString":1}}',
    ],
    (value) => {
      const message = objectOf(value);
      if (message === undefined) return undefined;
      const { id, method } = readMessage(message);
      assert.equal(rpcError(id ?? null, -32_600, 'x').jsonrpc, '2.0');
      return [id, method];
    },
  ),
];

function objectOf(value: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed = JSON.parse(value) as unknown;
    return typeof parsed === 'object' && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

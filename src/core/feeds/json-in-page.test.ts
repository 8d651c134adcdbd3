import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatPrefix } from '../ip/format-address.ts';
import type { JsonFormat } from './feed.ts';
import { parseFeed } from './parse-feed.ts';
import { jsonInPage } from './parse-json-feed.ts';

const page = (...elements: string[]): string =>
  `<!doctype html><html><body><p>Your address is 198.51.100.7</p>${elements.join('<hr>')}</body></html>`;
const shown = (text: string): string => `<pre>\n<code class="container">${text}</code></pre>`;

const AMAZON: JsonFormat = {
  kind: 'json',
  paths: ['/prefixes/*/ipv4Prefix', '/prefixes/*/ipv6Prefix', '/prefixes/*/ip_prefix', '/prefixes/*/ipv6_prefix'],
  inPage: true,
};

const read = (text: string, format = AMAZON): { rows: string[]; refused: Record<string, number> } => {
  const { batch, refused } = parseFeed(new TextEncoder().encode(text), format, { keepReserved: true });
  const rows = Array.from({ length: batch.length }, (_, row) => {
    const [w0, w1, w2, w3] = batch.words.subarray(4 * row, 4 * row + 4) as unknown as [number, number, number, number];
    return formatPrefix({ family: batch.family[row] === 6 ? 6 : 4, w0, w1, w2, w3, bits: batch.bits[row]! });
  });
  return { rows, refused: Object.fromEntries(refused) };
};

test('the document of a page is read in both shapes: bare addresses as Google names them, prefixes as AWS does', () => {
  const bare =
    '{"creationTime":"2026-09-28T00:00:00","prefixes":[{"ipv4Prefix":"52.4.5.89"},{"ipv6Prefix":"2600:1f18::1"}]}';
  assert.deepEqual(read(page(shown(bare))), { rows: ['52.4.5.89/32', '2600:1f18::1/128'], refused: {} });
  assert.deepEqual(read(page(shown('\n{"prefixes": [{"ip_prefix": "3.81.194.188/32"}]}\n'))).rows, ['3.81.194.188/32']);
  assert.deepEqual(read(page(shown(bare.replaceAll('"', '&quot;')))).rows, ['52.4.5.89/32', '2600:1f18::1/128']);
  assert.deepEqual(read(page(shown('robots.txt: Disallow: /'), shown(bare))).rows.length, 2, 'other examples');
});

test('a mirror may hold the document alone', () => {
  assert.deepEqual(read('{"prefixes":[{"ipv4Prefix":"52.4.5.89"}]}').rows, ['52.4.5.89/32']);
});

test('a page without exactly one document is refused, and addresses elsewhere in it are not read', () => {
  const document = '{"prefixes":[{"ipv4Prefix":"52.4.5.89"}]}';
  for (const text of [
    page(),
    page(shown('{"prefixes":[{"ipv4Prefix":"52.4.5.89"}')),
    page(shown(document), shown(document)),
    page(shown('["52.4.5.89"]')),
    page(shown('52.4.5.89')),
    page(`<pre>${document}</pre>`),
    page(`<code>${document}</code>`),
    page(`<script>${document}</script>`),
    page(`<pre><code>${document}<b></b></code></pre>`),
    '',
    '<pre><code>',
  ])
    assert.deepEqual(read(text), { rows: [], refused: { not_json: 1 } }, text);
  const { inPage: _, ...plain } = AMAZON;
  assert.deepEqual(
    read(page(shown(document)), plain as JsonFormat),
    { rows: [], refused: {} },
    'only where it says so',
  );
});

test('no content of a page throws', () => {
  const part = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '<pre',
      '<pre>',
      '<code',
      '<code>',
      '</code>',
      '</pre>',
      '{',
      '}',
      '"a":1',
      '&quot;',
      '&#x110000;',
      '>',
      ' ',
    ),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => void jsonInPage(parts.join(''))),
    { numRuns: 2000 },
  );
});

test('a hostile page of eight megabytes is read in linear time', () => {
  for (const part of ['<pre ', '<pre>', '<pre><code ', '<pre><code>{', '<pre> ', '&quot;'])
    assert.equal(jsonInPage(part.repeat((8 * 1024 * 1024) / part.length)), undefined);
});

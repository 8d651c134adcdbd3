import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { CHINESE_GUIDES, docsTables, GUIDES, SITE_DOCS } from '../../console/docs-pages.ts';
import { searchTexts } from '../../console/docs-search.ts';
import { type Column, csvOf, orderRows } from '../../console/src/components/order-rows.ts';
import {
  countryName,
  formatAge,
  formatInstant,
  formatNumber,
  formatRelative,
  ownZone,
  timeInZone,
} from '../../console/src/format.ts';
import { barePath, fill, inLocale, localeOfPath } from '../../console/src/locale-path.ts';
import { guidesZh } from '../../console/src/messages/guides.zh.ts';
import { installLinks } from '../../console/src/pages/docs/install-links.ts';
import { fieldsOf, type OpenApi, typeText } from '../../console/src/pages/docs/openapi.ts';
import { searchDocs } from '../../console/src/pages/docs/search-docs.ts';
import { CATALOGUE } from '../../src/adapters/feeds/catalogue.ts';
import { knownGoodLists } from '../../src/adapters/layers/known-good.ts';
import { openApiDocument } from '../../src/apps/http/openapi/document.ts';
import { sourceTextZh } from '../../src/core/texts/source-text-zh.ts';
import { covers } from '../spec/covers.ts';

test('the path alone decides the language, and a word that only begins with en is Chinese', () => {
  for (const path of ['/en', '/en/', '/en/docs', '/en/ip/1.1.1.1']) assert.equal(localeOfPath(path), 'en', path);
  for (const path of ['/', '/docs', '/english', '/ip/en', '/enx/docs']) assert.equal(localeOfPath(path), 'zh', path);
});

test('one-click links carry this service’s address in the form of each client', () => {
  covers('SITE-INSTALL-LINKS');
  const [account, open] = ['https://pulse.example/en/mcp/account', 'https://pulse.example/mcp'];
  const links = installLinks(account, open);
  const queryOf = (client: string) => new URL(links[client]!).searchParams;
  const config = (client: string) => JSON.parse(atob(queryOf(client).get('config')!));
  assert.deepEqual([config('Cursor'), config('LM Studio')], [{ url: account }, { url: open }]);
  for (const client of ['VS Code', 'VS Code Insiders']) {
    const [, json] = /^vscode(?:-insiders)?:mcp\/install\?(.*)$/.exec(links[client]!)!;
    assert.deepEqual(JSON.parse(decodeURIComponent(json!)), { name: 'pulse', type: 'http', url: account });
  }
  assert.deepEqual([queryOf('Goose').get('url'), queryOf('Goose').get('type')], [account, 'streamable_http']);
  for (const href of Object.values(links)) assert.doesNotMatch(href, /[\s"<>]/);
});

test('every address has its counterpart in the other language and back', () => {
  for (const bare of ['/', '/docs', '/ip/2001%3A%3A1', '/console/keys']) {
    assert.equal(barePath(inLocale('en', bare)), bare);
    assert.equal(barePath(inLocale('zh', bare)), bare);
    assert.equal(localeOfPath(inLocale('en', bare)), 'en');
  }
});

test('titles, licences and reasons of the catalogue, and well-known services, are Chinese but for names', () => {
  const texts = [
    ...CATALOGUE.flatMap(({ title, licence, offScheduleBecause = '' }) => [title, licence, offScheduleBecause]),
    ...knownGoodLists().map(({ what }) => what),
  ];
  for (const text of texts) {
    const words = sourceTextZh(text).match(/(?<![\w./-])[a-z]{3,}(?![\w./-])/g) ?? [];
    assert.deepEqual(
      words.filter((word) => !NAMES.has(word)),
      [],
      text,
    );
  }
  assert.equal(sourceTextZh('Googlebot, IPv4 (mirror)'), 'Googlebot，IPv4（镜像）');
  assert.equal(sourceTextZh('China: chinanet, IPv6'), '中国网段名单：电信，IPv6');
});

/** Names in lower case. */
const NAMES = new Set([
  'monosans',
  'stormsia',
  'hexydec',
  'sefinek',
  'ipcat',
  'anycast',
  'biznet',
  'cdn',
  'corp',
  'dsl',
  'icrit',
  'mobile',
  'tor',
  'vpn',
  'vpsh',
  'addsearch',
  'oncrawl',
  'yandex',
  'over',
]);

test('slots of a sentence are filled, and a slot without a value stays visible', () => {
  assert.equal(fill('{a} of {b}', { a: 1, b: 'x' }), '1 of x');
  assert.equal(fill('{a} {missing}', { a: 0 }), '0 {missing}');
});

test('relative time takes the largest unit that is at least one, in both languages', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  assert.equal(formatRelative('en', after(59_999), now), 'in 60 seconds');
  assert.equal(formatRelative('en', after(60_000), now), 'in 1 minute');
  assert.equal(formatRelative('en', after(-86_400_000), now), 'yesterday');
  assert.equal(formatRelative('zh-CN', after(7_200_000), now), '2 小时后');
  assert.equal(formatRelative('en', now, now), 'now');
});

test('ages change unit at two hours and two days', () => {
  assert.equal(formatAge('en', 0.4), '0 minutes');
  assert.equal(formatAge('en', 119), '119 minutes');
  assert.equal(formatAge('en', 120), '2 hours');
  assert.equal(formatAge('en', 2879), '48 hours');
  assert.equal(formatAge('en', 2880), '2 days');
  assert.equal(formatAge('zh-CN', 86_415), '60 天');
});

test('names and numbers are those of the reader, and unknown codes are shown as they are', () => {
  assert.equal(countryName('en', 'DE'), 'Germany');
  assert.equal(countryName('zh-CN', 'DE'), '德国');
  assert.equal(countryName('en', 'ZZ'), 'Unknown Region');
  assert.equal(formatNumber('en', 2_000_000), '2,000,000');
  assert.match(formatInstant('zh-CN', new Date('1970-01-15T12:00:00Z')), /1970年1月15日/);
  assert.equal(timeInZone('en', 'Not/AZone', new Date(0)), undefined);
  assert.match(timeInZone('en', 'Asia/Shanghai', new Date(0)) ?? '', /08:00/);
  assert.equal(timeInZone('zh-CN', 'Asia/Shanghai', new Date(0)), '周四 08:00');
  assert.match(ownZone(new Date(0)), /^[\w/+-]+, UTC([+-][\d:]+)?$/);
});

const docsFile = (name: string): string => resolve(import.meta.dirname, '../../docs', name);
const [OPERATIONS_ZH = {}, PARAMETERS_ZH = {}, FIELDS_ZH = {}, PATHS_ZH = {}] = docsTables(docsFile('zh-CN/api.md'));

const document = openApiDocument('https://pulse.example') as unknown as OpenApi;

test('every published field has its meaning in English in openapi.json and in Chinese in docs/zh-CN/api.md, and no other name has', () => {
  const published = Object.keys(document.components.schemas).flatMap((name) =>
    fieldsOf(document, { $ref: `#/components/schemas/${name}` }),
  );
  for (const { name, path, description } of published) {
    assert.ok((description ?? '').length > 0, `no English meaning for ${path}`);
    assert.ok(FIELDS_ZH[name]?.[0], `no Chinese meaning for ${name}`);
  }
  const names = new Set(published.map(({ name }) => name));
  const unexpected = Object.keys(FIELDS_ZH).filter((name) => !names.has(name));
  assert.deepEqual(unexpected, []);
});

test('every operation and parameter has English in openapi.json and Chinese on the site', () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  assert.deepEqual(Object.keys(OPERATIONS_ZH).sort(), operations.map(({ operationId }) => operationId).sort());
  const asked = operations.flatMap(({ parameters = [], requestBody }) => [
    ...parameters,
    ...Object.entries(requestBody?.content['application/json']?.schema.properties ?? {}).map(([name, part]) => ({
      ...part,
      name,
    })),
  ]);
  for (const { operationId, summary, description } of operations) {
    const [title, text] = OPERATIONS_ZH[operationId] ?? [];
    assert.ok(summary && description && title && text, operationId);
  }
  for (const { name, description } of asked) assert.ok(description && PARAMETERS_ZH[name]?.[0], name);
});

test('a meaning for one path alone names a path that is published', () => {
  const published = new Set(
    Object.keys(document.components.schemas).flatMap((name) => {
      const phone = name.startsWith('Phone') ? 'phone ' : '';
      return fieldsOf(document, { $ref: `#/components/schemas/${name}` }).flatMap(({ path }) => [
        path,
        `${phone}${path}`,
      ]);
    }),
  );
  const unexpected = Object.keys(PATHS_ZH).filter((path) => !published.has(path));
  assert.deepEqual(unexpected, []);
});

test('a document is flattened to paths; a field is required only where every form of the document has it', () => {
  const rows = new Map(fieldsOf(document, { $ref: '#/components/schemas/PhoneProfile' }).map((row) => [row.path, row]));
  assert.equal(rows.get('query.country.iso2')?.type, 'string | null');
  assert.equal(rows.get('hit')?.type, 'true | false');
  assert.equal(rows.get('hit')?.required, true);
  assert.equal(rows.get('activity')?.required, false);
  assert.equal(rows.get('miss_reason')?.required, false);
  const professional = fieldsOf(document, { $ref: '#/components/schemas/PulseIPRisk' }).map((row) => row.path);
  for (const path of ['evidence[].risk_type', 'risk.signals', 'geo.lat', 'meta.data_version.risk'])
    assert.ok(professional.includes(path), path);
  assert.equal(typeText(document, { type: 'integer', minimum: 0, maximum: 100 }), 'integer 0…100');
});

describe('rows of a table', () => {
  const rows = [
    { ip: '10.0.0.9', score: 5 },
    { ip: '9.0.0.10', score: undefined },
    { ip: '10.0.0.10', score: 40 },
    { ip: '9.0.0.9', score: 5 },
  ];
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { name: 'address', value: ({ ip }) => ip },
    { name: 'score', value: ({ score }) => score },
    { name: 'actions' },
  ];
  const ordered = (by: number, descending: boolean): string =>
    orderRows(rows, columns, { by, descending })
      .map(({ ip }) => ip)
      .join(' ');

  test('are ordered by numbers, also those in texts; equal ones keep their places, and none without a value comes first', () => {
    assert.equal(ordered(0, false), '9.0.0.9 9.0.0.10 10.0.0.9 10.0.0.10');
    assert.equal(ordered(0, true), '10.0.0.10 10.0.0.9 9.0.0.10 9.0.0.9');
    assert.equal(ordered(1, false), '10.0.0.9 9.0.0.9 10.0.0.10 9.0.0.10');
    assert.equal(ordered(1, true), '10.0.0.10 10.0.0.9 9.0.0.9 9.0.0.10');
    assert.equal(ordered(2, true), rows.map(({ ip }) => ip).join(' '));
  });

  test('are a file of the columns that have values, which runs nothing in a spreadsheet', () => {
    assert.equal(csvOf([{ ip: '=1+1', score: undefined }], columns), "address,score\r\n'=1+1,\r\n");
  });
});

describe('search of the docs', () => {
  const DOCS = resolve(import.meta.dirname, '../../docs');
  const texts = { en: searchTexts(DOCS, 'en'), zh: searchTexts(DOCS, 'zh'), guides: searchTexts(DOCS, 'guides') };
  const first = (what: keyof typeof texts, question: string): string | undefined => {
    const [found] = searchDocs(texts[what], question);
    return found && `${found.path}#${found.id}`;
  };

  test('every page and guide, and every operation of the reference, is in it', () => {
    const paths = (what: keyof typeof texts) => [...new Set(texts[what].map(({ path }) => path))];
    assert.deepEqual(paths('en'), [...SITE_DOCS.values()]);
    assert.deepEqual(paths('zh'), [...SITE_DOCS.values(), ...CHINESE_GUIDES.map((name) => GUIDES.get(name)!)]);
    assert.deepEqual(paths('guides'), [...GUIDES.values()]);
    for (const what of ['en', 'zh'] as const) {
      const ids = new Set(texts[what].map(({ id }) => id));
      assert.ok(
        Object.values(openApiDocument('').paths as object)
          .flatMap(Object.values)
          .every(({ operationId }) => ids.has(operationId)),
      );
    }
  });

  test('a heading comes first, words may stand apart, case and width do not matter, and each word must be there', () => {
    assert.equal(first('en', 'reading an answer'), '/docs#reading-an-answer');
    assert.equal(first('en', 'ＨＥＡＤＥＲＳ allowances'), '/docs/quotas#headers');
    assert.equal(first('guides', 'machines mirrors'), '/docs/feeds#mirrors-and-machines-without-a-network');
    assert.equal(first('en', '/pulse/v1/ip/batch'), '/docs/api#lookupIpsProfessional');
    assert.equal(first('en', 'headers xyzzy'), undefined);
    assert.equal(first('en', '  '), undefined);
  });

  test('Chinese is found without spaces, also where its words stand apart', () => {
    assert.equal(first('zh', '响应头'), '/docs/quotas#响应头');
    assert.equal(first('zh', '批量查询'), '/docs/api#lookupIps');
    assert.ok(searchDocs(texts.zh, '查询批量').length > 0);
    assert.equal(first('zh', '查不到的词'), undefined);
  });

  test('words of a trade find their pages, and a Latin word is found from its beginning on', () => {
    const leads = Object.entries(guidesZh).map(([name, [title, text]]) => ({
      ...{ path: `/docs/${name}`, title, heading: title, id: '', text },
    }));
    const shown = { en: [...texts.en, ...texts.guides], zh: [...texts.zh, ...texts.guides, ...leads] };
    const pages = (what: keyof typeof shown, question: string) =>
      searchDocs(shown[what], question).map(({ path }) => path.slice('/docs/'.length));
    for (const [what, question, ...expected] of [
      ['en', 'Tor', 'data', 'feeds', 'score'],
      ['en', 'latency', 'benchmarks'],
      ['en', 'webhook', 'api', 'watchlists'],
      ['en', 'false positive', 'rollout', 'operating'],
      ['en', 'allow list', 'enforcement'],
      ['zh', '白名单', 'enforcement', 'api'],
      ['zh', '误报', 'rollout', 'command-line', 'operating'],
      ['zh', '延迟', 'operating', 'benchmarks'],
    ] as const) {
      const found = [...new Set(pages(what, question))];
      assert.deepEqual(found.slice(0, expected.length), expected, question);
    }
    assert.ok(searchDocs(shown.en, 'tor').every(({ excerpt: [, match] }) => /^tor$/i.test(match)));
    assert.ok(!pages('en', 'tor').includes('storage'));
  });

  test('a result shows the text around the match', () => {
    const [found] = searchDocs(texts.en, 'weak hint');
    const [before, match, after] = found!.excerpt;
    assert.deepEqual([match, before.length <= 51, after.length <= 111], ['weak hint', true, true]);
    assert.ok(found!.text.includes(before.slice(1) + match + after.slice(0, -1)));
  });
});

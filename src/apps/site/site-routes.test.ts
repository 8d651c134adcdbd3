import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type FastifyInstance, fastify } from 'fastify';
import { covers } from '../../../test/spec/covers.ts';
import { rawHttp } from '../../../test/support/raw-http.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { openBuiltSite } from '../../adapters/site/open-built-site.ts';
import type { HighExample } from '../../contract/shown-names.ts';
import { SITE_HEAD } from '../../contract/site-head.ts';
import type { Status } from '../../contract/status.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { unixMs } from '../../core/units.ts';
import { DEMO_RISK_VERSION } from '../../service/demo-risk-version.ts';
import { DEMO_ADDRESSES } from '../../service/intake/demo-addresses.ts';
import type { SignUpPolicy } from '../../service/sign-in/sign-in-accounts.ts';
import type { Site } from '../../service/site.ts';
import { StoreUnavailable } from '../../service/store-fault.ts';
import { createHttpServer, type HttpServer } from '../http/connection/create-http-server.ts';
import type { HttpServices, SessionDirectory } from '../http/services.ts';
import { docsFiles } from './docs-files.ts';
import { DEMO_EXAMPLES, siteRoutes } from './site-routes.ts';

const STATUS = { ready: true } as Status;
const CONSOLE = new URL('../../../console/', import.meta.url);
const DOCS = docsFiles(
  (name) => readFileSync(new URL(`../docs/${name}`, CONSOLE), 'utf8'),
  (name) => ['overview.md', 'api.md'].includes(name),
);
const DOCUMENT = readFileSync(new URL('index.html', CONSOLE), 'utf8');

async function openSite(
  risk = 'r1',
  sessions?: Pick<SessionDirectory, 'accountOf'>,
  signup: SignUpPolicy = 'open',
  built: () => Site | undefined = () => ({ document: DOCUMENT, files: new Map() }),
  contact?: string,
  highExample?: () => HighExample | undefined,
): Promise<FastifyInstance> {
  const app = fastify();
  app.decorateRequest('exchange', null as never);
  app.addHook('onRequest', async (request) => {
    request.exchange = {
      headers: { cookie: request.headers.cookie },
      request: request.raw,
      view: { dataVersion: { risk, geo: 'g1' } },
    } as never;
  });
  const limiter = { take: () => undefined, giveBack: () => {} };
  const services = { trustedProxies: [], sessions, limiter } as unknown as HttpServices;
  const site = {
    ...{ built, baseUrl: 'https://pulse.example', signup, hasCompanySignOn: false },
    ...{ status: () => STATUS, contact, docs: DOCS },
  };
  await siteRoutes({ ...site, ...(highExample && { highExample }) })(app, { services });
  return app;
}

test('a page of the documentation is Markdown for programs that ask for it, and readable without scripts', async () => {
  covers('SITE-MARKDOWN');
  const app = await openSite();
  const get = (url: string, accept?: string) => app.inject({ url, ...(accept && { headers: { accept } }) });
  for (const accept of ['text/markdown', 'text/markdown, text/html;q=0.9, */*;q=0.1', 'text/markdown, text/html']) {
    const answer = await get('/en/docs/mcp', accept);
    assert.match(String(answer.headers['content-type']), /^text\/markdown/);
    assert.match(answer.body, /^# Pulse for AI agents/);
    assert.match(String(answer.headers.vary), /Accept/);
  }
  for (const accept of [undefined, '*/*', 'text/html', 'text/html, text/markdown;q=0.9', 'text/markdown;q=0'])
    assert.match((await get('/en/docs/mcp', accept)).body, /<noscript><main><h1>Pulse for AI agents/, String(accept));
  const chinese = await get('/docs/mcp');
  assert.match(chinese.body, /<link rel="alternate" type="text\/markdown" href="\/docs\/mcp.md" \/>/);
  assert.match(chinese.body, /<noscript><main><h1>/);
  assert.match((await get('/docs')).body, /href="\/docs\/overview.md"/);
  assert.doesNotMatch((await get('/console')).body, /text\/markdown/);
  await app.close();
});

test('a page asked for with a slash at its end leads to the page, query and all, and stays on this site', async () => {
  const app = await openSite();
  for (const [url, location] of [
    ['/en/', '/en'],
    ['/en/?x=1/', '/en?x=1/'],
    ['/docs/', '/docs'],
    ['/docs/api/?a=b', '/docs/api?a=b'],
    ['/en/console/keys/', '/en/console/keys'],
    ['/ip/1.2.3.4/', '/ip/1.2.3.4'],
    ['/en/ip/2a0d:5600:44::1/', '/en/ip/2a0d:5600:44::1'],
  ] as const) {
    const { statusCode, headers } = await app.inject({ url, remoteAddress: '198.51.100.7' });
    assert.deepEqual([statusCode, headers.location], [308, location], url);
    assert.equal((await app.inject({ url: location, remoteAddress: '198.51.100.7' })).statusCode, 200, location);
  }
  for (const url of ['/', '/nothing/', '//docs/', '//evil.example/', '/docs//'])
    assert.equal((await app.inject({ url, remoteAddress: '198.51.100.7' })).headers.location, undefined, url);
  await app.close();
});

test('the sign-in page, which apps lead to as well, says who makes accounts here', async () => {
  for (const policy of ['off', 'mail'] as const) {
    const app = await openSite('r1', undefined, policy);
    for (const url of ['/console/sign-in?next=%2Fconsole%2Foauth%2Fx', '/en/console/sign-up'])
      assert.match((await app.inject({ url })).body, new RegExp(`<meta name="sign-up" content="${policy}" />`));
    await app.close();
  }
});

test('the document names the public address it was asked from, and never offers a private one', async () => {
  const app = await openSite();
  for (const [remoteAddress, shown] of [
    ['8.8.4.4', '8.8.4.4'],
    ['2001:4860::1', '2001:4860::1'],
    ['127.0.0.1', ''],
    ['192.168.1.4', ''],
    ['::1', ''],
  ] as const)
    assert.ok(
      (await app.inject({ url: '/', remoteAddress })).body.includes(
        `<meta name="client-address" content="${shown}" />`,
      ),
      remoteAddress,
    );
  await app.close();
});

test('the document names where to object where the operator has set it, and nothing in its place', async () => {
  for (const [contact, shown] of [
    ['abuse@example.com', '<meta name="contact" content="abuse@example.com" />'],
    ['https://example.com/?a=1&"b', '<meta name="contact" content="https://example.com/?a=1&#38;&#34;b" />'],
    [undefined, ''],
  ] as const) {
    const app = await openSite('r1', undefined, 'open', undefined, contact);
    for (const url of ['/objection', '/en/objection']) {
      const { statusCode, body } = await app.inject({ url });
      assert.deepEqual([statusCode, /<meta name="contact".*? \/>/.exec(body)?.[0] ?? ''], [200, shown], url);
    }
    await app.close();
  }
});

test('a page is shown while the store of sessions cannot be asked, and asks by itself who is signed in', async () => {
  const app = await openSite('r1', { accountOf: () => Promise.reject(new StoreUnavailable(new Error('away'))) });
  const asksWho = async (headers: Record<string, string>): Promise<readonly [number, boolean]> => {
    const { statusCode, body } = await app.inject({ url: '/en/console/keys', headers, remoteAddress: '8.8.4.4' });
    return [statusCode, body.includes('<meta name="signed-in" content="yes" />')];
  };
  assert.deepEqual(await asksWho({ cookie: `pulse_session=${'x'.repeat(43)}` }), [200, true]);
  assert.deepEqual(await asksWho({}), [200, false]);
  await app.close();
});

test('a reader that runs no script gets, in the language of the page, the purpose of the site and where else to ask', async () => {
  const app = await openSite();
  for (const [url, language] of [
    ['/', 'zh-CN'],
    ['/en', 'en'],
    ['/en/status', 'en'],
  ] as const) {
    const { body } = await app.inject({ url, remoteAddress: '8.8.4.4', headers: { accept: 'text/html' } });
    const { title, description, noScript } = SITE_HEAD[language];
    for (const part of [
      `<html lang="${language}">`,
      `<title>${title}</title>`,
      `<meta name="description" content="${description}" />`,
      noScript,
    ])
      assert.ok(body.includes(part), `${url} ${part}`);
    assert.doesNotMatch(`${title}${description}${noScript}`, /[<>"&]/, 'stands in the document as it is');
  }
  await app.close();
});

test('a demonstration says that it is one and offers addresses of its own; any other service does neither', async () => {
  for (const [risk, said] of [
    [DEMO_RISK_VERSION, true],
    ['r1', false],
  ] as const) {
    const app = await openSite(risk);
    const { body } = await app.inject({ url: '/', remoteAddress: '8.8.4.4' });
    assert.equal(body.includes(`<meta name="demo-addresses" content="${DEMO_EXAMPLES.join(' ')}" />`), said);
    assert.equal(body.includes('demo'), said);
    await app.close();
  }
  const known = new Set(DEMO_ADDRESSES.map(({ look }) => look));
  for (const example of DEMO_EXAMPLES) assert.ok(known.has(example), example);
});

test('the start page says where there is no evidence, and offers the high example; other pages do neither', async () => {
  covers('SITE-NO-EVIDENCE', 'SITE-RED-EXAMPLE');
  const [unread, example] = [
    '<meta name="unread" content="yes" />',
    'content="{&#34;ip&#34;:&#34;45.1.2.3&#34;,&#34;score&#34;:90',
  ];
  for (const [risk, url, said] of [
    ['none', '/', [true, true]],
    ['none', '/en', [true, true]],
    ['none', '/en/docs', [false, false]],
    ['20261121T120000Z.7', '/en', [false, true]],
  ] as const) {
    const app = await openSite(risk, undefined, 'open', undefined, undefined, () => ({
      ip: '45.1.2.3',
      score: 90,
      signals: ['proxy'],
    }));
    const { body } = await app.inject({ url });
    assert.deepEqual([body.includes(unread), body.includes(example)], said, `${risk} ${url}`);
    await app.close();
  }
});

test('pages take nothing from another host, sit in no frame, and reveal nothing to other sites, yet send our own forms with their Origin', async () => {
  const app = await openSite();
  for (const url of ['/', '/en']) {
    const { statusCode, headers } = await app.inject({ url, remoteAddress: '198.51.100.7' });
    assert.equal(statusCode, 200);
    assert.equal(headers['referrer-policy'], 'same-origin', 'under no-referrer browsers send Origin: null');
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/);
    assert.doesNotMatch(String(headers['content-security-policy']), /unsafe-inline|https?:/);
    assert.equal(headers['x-frame-options'], 'DENY');
  }
  await app.close();
});

test('until the site is built its pages say so and look again; then they and its files come, and those of a later build', async () => {
  const folder = join(testFolder('site'), 'dist');
  const app = await openSite('r1', undefined, 'open', openBuiltSite(folder));
  for (const [url, words] of [
    ['/docs', '网站正在构建'],
    ['/en/docs', 'The site is being built'],
  ] as const) {
    const { statusCode, headers, body } = await app.inject({ url });
    assert.deepEqual([statusCode, headers['refresh'], body.includes(words)], [503, '3', true], url);
  }
  assert.equal((await app.inject({ url: '/favicon.svg' })).statusCode, 404);
  assert.equal((await app.inject({ url: '/status' })).json().ready, true, 'programs need no pages');
  cpSync(new URL('public', CONSOLE), folder, { recursive: true });
  writeFileSync(join(folder, 'index.html'), DOCUMENT);
  assert.equal((await app.inject({ url: '/en/docs' })).statusCode, 200);
  for (const name of readdirSync(new URL('public', CONSOLE))) {
    const url = `/${name}`;
    const { statusCode, headers } = await app.inject({ url: `${url}?v=1` });
    assert.equal(statusCode, 200, url);
    const again = await app.inject({ url, headers: { 'if-none-match': String(headers['etag']) } });
    assert.equal(again.statusCode, 304, url);
  }
  rmSync(folder, { recursive: true });
  assert.equal((await app.inject({ url: '/en/docs' })).statusCode, 503);
  await app.close();
});

describe('the name a page is asked for', () => {
  const minute = { limit: 60, remaining: 59, resetsAt: unixMs(60_000) };
  const ledger = {
    charge: () => ({ ok: true, minute, receipt: { units: 0, dayNumber: 1, ids: [] } }),
    refund: () => undefined,
    flushed: () => undefined,
  };
  const quiet = (): void => {};
  const servers: HttpServer[] = [];
  after(async () => void (await Promise.all(servers.map((server) => server.close(1000)))));

  async function start(trustedProxies: readonly string[] = []): Promise<number> {
    const services = {
      clock: { now: () => unixMs(0) },
      log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
      ledger,
      limiter: { take: () => undefined, giveBack: quiet },
      view: () => undefined,
      trustedProxies: trustedProxies.map((text) => parsePrefix(text)!),
      limits: { anonPerMin: 60, anonPerDay: 60, assistantPerMin: 1, assistantPerDay: 1 },
      baseUrl: 'https://pulse.example',
    } as unknown as HttpServices;
    const site = { document: '<html lang="x"></html>', files: new Map() };
    const server = createHttpServer({
      idPrefix: 't-',
      services,
      plugins: [
        siteRoutes({
          built: () => site,
          baseUrl: services.baseUrl,
          signup: 'open',
          hasCompanySignOn: false,
          status: () => STATUS,
          contact: undefined,
          docs: DOCS,
        }),
      ],
    });
    servers.push(server);
    return await server.listen({ host: '127.0.0.1', port: 0, reusePort: false });
  }
  const statusOf = async (port: number, target: string, host: string): Promise<number> =>
    (await rawHttp(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`))[0]!.status;

  test("is this service's own, an address or localhost; another gets no page", async () => {
    const port = await start();
    for (const host of [
      'pulse.example',
      'PULSE.example:8443',
      '127.0.0.1:8080',
      '198.51.100.7',
      '[2001:db8::1]:80',
      'localhost:8080',
    ])
      assert.equal(await statusOf(port, '/', host), 200, host);
    for (const host of [
      'evil.example',
      'pulse.example.evil.example',
      'pulse',
      '',
      'a@pulse.example',
      '127.0.0.1.evil.example',
    ])
      for (const target of ['/', '/en/console/keys', '/docs/'])
        assert.equal(await statusOf(port, target, host), 421, `${host} ${target}`);
    const [page] = await rawHttp(port, 'GET /en/docs HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
    assert.match(page!.body, /<a href="https:\/\/pulse\.example\/en">/);
    assert.doesNotMatch(page!.body, /evil/);
  });

  test('is the one of the target where that names one', async () => {
    const port = await start();
    assert.equal(await statusOf(port, 'http://evil.example/', 'pulse.example'), 421);
    assert.equal(await statusOf(port, 'https://pulse.example/', 'evil.example'), 200);
  });

  test('is that of X-Forwarded-Host behind a trusted proxy that sends one, and says nothing about a lookup', async () => {
    const [proxied, open] = [await start(['127.0.0.1/32']), await start()];
    const forwarded = (host: string, ...names: readonly string[]): string =>
      [host, ...names.map((name) => `X-Forwarded-Host: ${name}`)].join('\r\n');
    for (const [host, status] of [
      [forwarded('upstream', 'pulse.example'), 200],
      [forwarded('upstream', 'evil.example, PULSE.example:443'), 200],
      [forwarded('upstream', 'evil.example', 'pulse.example'), 200],
      ['pulse.example', 200],
      ['10.0.0.7:8080', 200],
      ['upstream', 421],
      ['evil.example', 421],
      [forwarded('pulse.example', 'evil.example'), 421],
      [forwarded('upstream', 'pulse.example, evil.example'), 421],
      [forwarded('upstream', ''), 421],
    ] as const)
      for (const target of ['/', '/en/docs']) assert.equal(await statusOf(proxied, target, host), status, host);
    assert.equal(await statusOf(open, '/', forwarded('evil.example', 'pulse.example')), 421, 'not a proxy of ours');
    assert.equal(await statusOf(open, '/', forwarded('pulse.example', 'evil.example')), 200, 'not a proxy of ours');
    assert.equal(await statusOf(await start(), '/v1/ip/x', 'evil.example'), 400);
  });
});

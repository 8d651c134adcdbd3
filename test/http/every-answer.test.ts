/**
 * Common parts of every answer, asked of every family of paths over a real server: an id, one reading of the
 * path, and no fault of ours where the client left.
 */

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, describe, test } from 'node:test';
import { type RawAnswer, rawHttp } from '../support/raw-http.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { fetchWhole, newClient, sharedService } from '../support/shared-service.ts';
import { type Asked, FAMILIES, JSON_BODY } from './every-answer.fixture.ts';

let server: ServeProcess;
before(async () => {
  server = await sharedService();
});

const head = (method: string, target: string, lines: readonly string[] = [], body = ''): string =>
  `${[`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines, ...(body === '' ? [] : [`Content-Length: ${body.length}`])].join('\r\n')}\r\n\r\n${body}`;

async function ask(method: string, target: string, lines: readonly string[] = [], body = ''): Promise<RawAnswer> {
  const answers = await rawHttp(server.port, head(method, target, lines, body));
  assert.equal(answers.length, 1, `${method} ${target}: one answer`);
  return answers[0]!;
}

describe('X-Request-Id', () => {
  for (const [family, asked] of Object.entries(FAMILIES)) {
    test(`is on every answer: ${family}`, async () => {
      for (const [status, method, target, lines, body] of asked) {
        const answer = await ask(method, target, lines, body);
        assert.equal(answer.status, status, `${method} ${target}: ${answer.body}`);
        assert.match(answer.headers['x-request-id'] ?? '', /^[0-9a-z]+-[0-9a-z]{6,}$/, `${method} ${target}`);
        assert.equal(answer.headers['x-content-type-options'], 'nosniff', `${method} ${target}`);
        assert.equal(
          answer.headers['strict-transport-security'],
          undefined,
          `${method} ${target}: the base URL is http`,
        );
      }
    });
  }

  test('is on an answer that is not modified', async () => {
    const { headers } = await ask('GET', '/favicon.svg');
    const again = await ask('GET', '/favicon.svg', [`If-None-Match: ${headers['etag']}`]);
    assert.equal(again.status, 304);
    assert.ok(again.headers['x-request-id']);
  });

  test('is on the answer to HEAD', async () => {
    for (const path of ['/healthz', '/v1/ip/8.8.8.8', '/', '/nothing']) {
      const { headers } = await fetchWhole(server.base + path, { method: 'HEAD' });
      assert.ok(headers.get('x-request-id'), path);
    }
  });
});

describe('a path with letters percent-encoded is the path with the plain ones', () => {
  const same: readonly Asked[] = [
    [200, 'GET', '/%761/i%70/8.8.8.8'],
    [405, 'PUT', '/%761/ip/8.8.8.8'],
    [405, 'PUT', '/%6dcp'],
    [405, 'PUT', '/mcp#x'],
    [405, 'FOO', '/%6dcp'],
    [405, 'GET', '/%6fauth/token'],
    [200, 'GET', '/%68ealthz'],
    [200, 'GET', '/%66avicon.svg'],
    [200, 'GET', '/.well-known/%6fauth-authorization-server'],
    [400, 'GET', '/en/%6fauth/authorize?response_mode=form_post'],
    [400, 'GET', '/%6fauth/authorize/x'],
    [400, 'GET', '/oauth/authorize/x%2Fy'],
    [400, 'GET', '/oauth/authorize/%E4%BD%A0'],
    [404, 'GET', '/%6eothing'],
    [404, 'GET', '/mcp%2Faccount'],
  ];
  for (const [status, method, target] of same) {
    test(`${method} ${target} answers ${status} in the form of its family`, async () => {
      const answer = await ask(method, target);
      assert.equal(answer.status, status, answer.body);
      assert.doesNotMatch(answer.headers['content-type'] ?? '', /text\/plain/);
      if (status === 405) assert.match(answer.headers['allow'] ?? '', /^[A-Z]+(, [A-Z]+)*$/);
      if (status === 404) assert.equal(JSON.parse(answer.body).error.code, 'not_found');
    });
  }
});

describe('pages of the sign-in flow', () => {
  test('link an icon that is served, under a policy that lets it load', async () => {
    const page = await ask('GET', '/oauth/authorize?response_mode=form_post');
    const icon = /<link rel="icon" href="([^"]+)"/.exec(page.body)?.[1];
    assert.ok(icon);
    assert.match(page.headers['content-security-policy']!, /img-src 'self'/);
    const { status, headers } = await ask('GET', icon);
    assert.deepEqual([status, headers['content-type']], [200, 'image/svg+xml']);
  });

  test('too many sign-ins: the page asks to wait, says how long, and does not blame the app', async () => {
    for (const [prefix, words, blame] of [
      ['', /请等待 \d+ 秒/, /应用开发者/],
      ['/en', /Please wait \d+ seconds?/, /its makers/],
    ] as const) {
      const target = `${prefix}/oauth/authorize?response_mode=form_post`;
      const from = [`X-Forwarded-For: ${newClient()}`];
      let page = await ask('GET', target, from);
      for (let n = 0; n < 130 && page.status !== 429; n++) page = await ask('GET', target, from);
      assert.equal(page.status, 429);
      assert.match(page.body, words);
      assert.doesNotMatch(page.body, blame);
      const wait = Number(page.headers['retry-after']);
      assert.ok(wait >= 1 && wait <= 60, `Retry-After ${wait}`);
    }
  });
});

describe('a browser gets pages, and every other client the documents of the interface', () => {
  const BROWSER = 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const EN = 'Accept-Language: en-US,en;q=0.9';
  const ZH = 'Accept-Language: zh-CN,zh;q=0.9,en;q=0.8';
  const langOf = ({ headers, body }: RawAnswer): string | undefined =>
    headers['content-type']?.startsWith('text/html') === true ? /<html lang="([^"]+)">/.exec(body)?.[1] : undefined;

  test("a path that is not there is a page with status 404 in the visitor's language", async () => {
    for (const [target, lines, lang] of [
      ['/nothing', [BROWSER, EN], 'en'],
      ['/nothing', [BROWSER, ZH], 'zh-CN'],
      ['/nothing', [BROWSER, EN, 'Cookie: pulse_language=zh'], 'zh-CN'],
      ['/en/docs/nothing', [BROWSER, ZH], 'en'],
      ['/console/nothing', [BROWSER], 'zh-CN'],
      ['/nothing', [EN], undefined],
      ['/nothing', ['Accept: application/json', EN], undefined],
      ['/v1/nothing', [BROWSER, EN], undefined],
      ['/pulse/v1', [BROWSER, EN], undefined],
      ['/mcp/nothing', [BROWSER, EN], undefined],
      ['/console/api/nothing', [BROWSER, EN], undefined],
      ['/.well-known/nothing', [BROWSER, EN], undefined],
    ] as const) {
      const answer = await ask('GET', target, lines);
      assert.deepEqual([answer.status, langOf(answer)], [404, lang], `${target} ${lines}`);
      if (lang === undefined) assert.equal(JSON.parse(answer.body).error.code, 'not_found', target);
      else assert.match(answer.headers['content-security-policy'] ?? '', /frame-ancestors 'none'/);
    }
    assert.equal((await ask('GET', '/nothing', [BROWSER])).headers['vary'], 'Accept, Accept-Language, Cookie');
    assert.equal(JSON.parse((await ask('POST', '/nothing', [BROWSER])).body).error.code, 'not_found');
  });

  test('the start page follows the language of the browser, unless one was chosen', async () => {
    for (const [target, lines, status, location] of [
      ['/', [EN], 302, '/en'],
      ['/?x=1', [EN], 302, '/en?x=1'],
      ['/', [ZH], 200, undefined],
      ['/', [], 200, undefined],
      ['/', [EN, 'Cookie: a=b; pulse_language=zh'], 200, undefined],
      ['/', [ZH, 'Cookie: pulse_language=en'], 302, '/en'],
      ['/en', [ZH], 200, undefined],
      ['/docs', [EN], 200, undefined],
    ] as const) {
      const { headers, ...answer } = await ask('GET', target, [BROWSER, ...lines]);
      assert.deepEqual([answer.status, headers['location']], [status, location], `${target} ${lines}`);
      if (target !== '/en' && target !== '/docs') assert.equal(headers['vary'], 'Accept-Language, Cookie', target);
    }
  });

  test('/status and /healthz are JSON for programs', async () => {
    for (const [path, key] of [
      ['/status', 'sources'],
      ['/en/status', 'sources'],
      ['/healthz', 'status'],
      ['/readyz', 'status'],
    ] as const) {
      for (const lines of [[], ['Accept: */*'], ['Accept: application/json']]) {
        const { status, headers, body } = await ask('GET', path, lines);
        assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=utf-8'], path);
        assert.ok(key in JSON.parse(body), path);
      }
      const page = await ask('GET', path, [BROWSER, EN]);
      assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'], path);
      assert.match(page.headers['vary'] ?? '', /^Accept\b/);
    }
  });

  test('robots.txt and favicon.ico are there', async () => {
    for (const [path, type] of [
      ['/robots.txt', 'text/plain; charset=utf-8'],
      ['/favicon.ico', 'image/x-icon'],
    ] as const) {
      const { status, headers } = await ask('GET', path);
      assert.deepEqual([status, headers['content-type']], [200, type]);
    }
  });
});

/** Sends the beginning of a request and goes. */
function leave(bytes: string, how: 'end' | 'reset'): Promise<void> {
  return new Promise((done, failed) => {
    const socket = connect({ host: '127.0.0.1', port: server.port });
    socket.once('error', failed);
    socket.once('close', () => done());
    socket.write(bytes, () => setTimeout(() => (how === 'end' ? socket.destroy() : socket.resetAndDestroy()), 5));
  });
}

test('a Content-Type without a body is answered like no body: nothing is waited for that never comes', async () => {
  const paths = '/mcp /mcp/account /v1/me /v1/nowhere /oauth/token /oauth/register /console/api/session'.split(' ');
  for (const path of paths) {
    const client = newClient();
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const length of [[], ['Content-Length: 0']]) {
        const lines = [...JSON_BODY, ...length, `X-Forwarded-For: ${client}`];
        const { status } = await ask(method, path, lines);
        assert.ok(status >= 200 && status < 500, `${method} ${path} ${length}: ${status}`);
      }
  }
});

test('clients that break off leave no error in the log', async () => {
  const cut = (target: string, type: string): string =>
    `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 500\r\n\r\n{"a`;
  const begun = [
    cut('/mcp', 'application/json'),
    cut('/console/api/session/sign-in', 'application/json'),
    cut('/oauth/token', 'application/x-www-form-urlencoded'),
    cut('/oauth/register', 'application/json'),
    'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20),
    'GET /oauth/authorize?client_id=x HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20),
    'GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20),
    'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a',
  ];
  const before = server.output().length;
  for (const bytes of begun)
    for (const how of ['end', 'reset'] as const) for (let n = 0; n < 2; n++) await leave(bytes, how);
  // An answer to the last of them has been written when these come: of the lookup thread, and of the other one.
  for (const path of ['/v1/ip/8.8.8.8', '/openapi.json']) await ask('GET', path);
  assert.doesNotMatch(server.output().slice(before), /"level":(50|60)/);
});

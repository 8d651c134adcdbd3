/**
 * A path that is not there gets the Error body below every prefix, those of plugins and of the site's files
 * too, and nothing of its URL comes back.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/apps/http/routes.ts';
import { PAGES } from '../../src/contract/pages.ts';
import { covers } from '../spec/covers.ts';
import { fetchWhole, newClient, sharedService } from '../support/shared-service.ts';

const MARK = 'Zq7marked';
const KEY = 'pk_0123456789abcdefghijklmnopqrstuvwx';
const QUERIES = [`?next=${MARK}`, `?api_key=${KEY}`, `?token=${MARK}&x=%3Cb%3E${MARK}`];

/** Paths that no table lists: files of the site, and metadata that libraries look for. */
const OTHERS = ['/assets/*', '/favicon.ico', '/robots.txt', '/.well-known/oauth-authorization-server', '/lists/*'];

/** Steps of a sign-in are pages for people. */
const PAGES_OF_SIGN_IN = /^(\/en)?\/(oauth\/authorize|console\/oauth)([/?]|$)/;

/** Every path of the tables, and every folder on the way there. */
function prefixes(): readonly string[] {
  const pages = Object.values(PAGES).flat();
  const patterns = [
    ...ROUTES.map(({ path: pattern }) => pattern),
    ...pages,
    ...pages.map((page) => `/en${page}`),
    ...OTHERS,
  ];
  const all = new Set(['']);
  for (const pattern of patterns) {
    const segments = pattern
      .replace(/:\w+|\*/g, 'x')
      .split('/')
      .slice(1);
    for (const [i] of segments.entries()) all.add(`/${segments.slice(0, i + 1).join('/')}`.replace(/\/$/, ''));
  }
  return [...all];
}

test('below every registered prefix a path that is not there gets the Error body, and no body repeats an address, a query or a key', async () => {
  covers('NO-ECHO');
  const { base } = await sharedService();
  const asked = prefixes().flatMap((prefix) => [
    ...QUERIES.map((query) => ['GET', `${prefix}/${MARK}.js${query}`] as const),
    ['GET', `${prefix}/%zz${MARK}`] as const,
    ['POST', `${prefix}/${MARK}${QUERIES[0]}`] as const,
    ['GET', `${prefix}${QUERIES[0]}`] as const,
  ]);
  assert.ok(asked.some(([, path]) => path.startsWith('/assets/x/')));
  for (const [method, path] of asked) {
    const headers = { 'X-Forwarded-For': newClient(), Accept: '*/*' };
    const response = await fetchWhole(base + path, { method, headers, redirect: 'manual' });
    const text = await response.text();
    const said = `${method} ${path}: ${response.status} ${text.slice(0, 300)}`;
    // A page that is there names its own address, and no query.
    const isThere = response.status < 400 && path.split('?', 1)[0]!.includes(MARK);
    for (const secret of isThere ? [KEY] : [KEY, MARK]) assert.ok(!text.includes(secret), said);
    const type = response.headers.get('content-type') ?? '';
    // Until the site is built its pages are 503.
    const isUnbuilt = response.status === 503 && type.startsWith('text/html');
    if (response.status < 400 || isUnbuilt || PAGES_OF_SIGN_IN.test(path)) continue;
    assert.match(type, /^application\/json/, said);
    const { error, statusCode } = JSON.parse(text) as { readonly error?: unknown; readonly statusCode?: number };
    assert.ok(error !== undefined && statusCode === undefined, said);
  }
});

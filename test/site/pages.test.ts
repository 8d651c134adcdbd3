import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, describe } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PAGES } from '../../src/contract/pages.ts';
import {
  LANGUAGES,
  type Language,
  signedIn,
  siteTests,
  until,
  type Watched,
  watchedPage,
} from '../support/browser-site.ts';
import type { ServeProcess } from '../support/serve-process.ts';

/** Compressed script of the first load, in bytes. */
const SCRIPT_BUDGET = 200_000;
const WIDE = { width: 1280, height: 900 };

/** Segments that the star of a path stands for. */
const FILLED: Readonly<Record<string, readonly string[]>> = {
  '/ip/': ['1.2.3.4', '8.8.8.8'],
  '/console/evidence/': ['1.2.3.4'],
  '/console/operator/': ['collection', 'overrides', 'accounts', 'audit'],
};
const [PUBLIC, DOORS, ROOMS, OPERATOR] = [PAGES.visitor, PAGES.signIn, PAGES.account, PAGES.operator].map((pages) =>
  pages.flatMap((page) => FILLED[page.replace('*', '')]?.map((part) => page.replace('*', part)) ?? [page]),
) as [string[], string[], string[], string[]];

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let server: ServeProcess;
let browser: Browser;
let visitor: BrowserContext;
let operator: BrowserContext;
/** English title of each page that was opened. */
const titles = new Map<string, string>();

const test = siteTests(async (site) => {
  ({ browser, server } = site);
  visitor = await browser.newContext({ viewport: WIDE, locale: 'zh-CN' });
  operator = await signedIn(browser, server.base, 'op', { viewport: WIDE, locale: 'zh-CN' });
});

/** Empties the rows of tables that look like one above them: the same elements of the same classes, with or without text, on the same stripe. A long list has a hundred of them. */
const EMPTY_ALIKE = `(() => {
  const shape = (element) => [
    element.tagName, element.getAttribute('class'), element.getAttribute('style'), element.getAttribute('role'), element.matches(':disabled, :checked'),
    element.textContent.trim() !== '', ...[...element.children].map(shape), 'end',
  ].join(' ');
  for (const { rows } of document.querySelectorAll('tbody')) {
    const seen = new Set();
    for (const [index, row] of [...rows].entries()) {
      const look = index % 2 + shape(row);
      if (seen.has(look)) row.replaceChildren();
      seen.add(look);
    }
  }
})()`;

/** Serious and critical findings, one line each (what the rule `region` finds is moderate). Of rows that are alike the first is looked at: the page is used up. */
async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(EMPTY_ALIKE);
  await page.evaluate(axeSource);
  return await page.evaluate(`axe
    .run(document, { resultTypes: ['violations'], preload: false, rules: { region: { enabled: false } } })
    .then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary)))`);
}

/** Numbers, addresses and codes that stand on two lines; in tables Chinese dates too. */
const TORN = `(() => {
  const walker = document.createTreeWalker(document.getElementById('main'), NodeFilter.SHOW_TEXT);
  const torn = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    for (const { 0: found, index } of node.data.matchAll(/[!-~]*\\d[!-~年月日]*|[a-z]+(_[a-z]+)+/g)) {
      const token = node.parentElement.closest('td') ? found : found.replace(/[年月日].*/, '');
      // Paths and names such as CC0-1.0 may break.
      if (token.length > 43 || /[/][a-z]|[a-z].*-/i.test(token)) continue;
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + token.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) torn.push(token);
    }
  return torn;
})()`;

async function settled(page: Page): Promise<void> {
  await until(
    page,
    `document.querySelector('h1') !== null && document.querySelector('.mantine-Skeleton-root') === null`,
  );
}

const contextOf = (path: string): BrowserContext => ([...ROOMS, ...OPERATOR].includes(path) ? operator : visitor);

async function inspect({ page, faults }: Watched, path: string, { prefix, tag }: Language, scheme: 'light' | 'dark') {
  const name = `${prefix}${path} ${scheme}`;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.goto(`${server.base}${path === '/' ? prefix || '/' : `${prefix}${path}`}`);
  await settled(page);
  assert.equal(await page.getAttribute('html', 'data-mantine-color-scheme'), scheme);
  assert.equal(await page.getAttribute('html', 'lang'), tag);
  assert.equal(await page.locator('h1').count(), 1, name);
  assert.notEqual(await page.getAttribute('meta[name=description]', 'content'), '');
  // Charts take their width with a later frame.
  await until(page, 'document.documentElement.scrollWidth <= document.documentElement.clientWidth');
  await until(page, `${TORN}.length === 0`).catch(() => undefined);
  assert.deepEqual(await page.evaluate(TORN), [], `${name} at 390 pixels`);
  await page.setViewportSize(WIDE);
  await until(page, `${TORN}.length === 0`).catch(() => undefined);
  assert.deepEqual(await page.evaluate(TORN), [], name);
  const title = await page.title();
  assert.deepEqual(await findings(page), [], name);
  assert.deepEqual(faults, [], name);
  return title;
}

describe('every page', { concurrency: 2 }, () => {
  for (const [who, paths] of [
    ['a visitor', [...PUBLIC, ...DOORS]],
    ['an operator', [...ROOMS, ...OPERATOR]],
  ] as const)
    describe(`of ${who}`, { concurrency: 1 }, () => {
      // One tab for all of them: a new one would compile the site's scripts again.
      let watched: Watched | undefined;
      for (const path of paths)
        test(`${path} is sound in both languages and schemes: no axe finding, silent console, own host only, fits 390 px`, async () => {
          watched ??= await watchedPage(contextOf(path), server.base);
          const chinese = await inspect(watched, path, LANGUAGES.zh, 'light');
          const english = await inspect(watched, path, LANGUAGES.en, 'dark');
          // An address is named alike in every language, and the operator's rooms are tabs of one page.
          if (!path.startsWith('/ip/')) assert.notEqual(chinese, english);
          titles.set(path, english);
        });
      after(() => watched?.page.close());
    });
});

test('cards have their edge and their own ground in both schemes, on the start page and in the docs', async () => {
  for (const [path, card] of [
    ['/en', '[class*=_point_]'],
    ['/en/docs', '[data-page=overview] ul > li'],
  ] as const)
    for (const scheme of ['light', 'dark'] as const) {
      const page = await visitor.newPage();
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(`${server.base}${path}`);
      await page.locator(card).first().waitFor();
      const drawn = await page.evaluate<readonly string[]>(`(() => {
        const { borderBottomStyle, borderBottomWidth, backgroundColor } = getComputedStyle(document.querySelector('${card}'));
        return [borderBottomStyle, borderBottomWidth, backgroundColor];
      })()`);
      assert.deepEqual(
        drawn,
        ['solid', '1px', scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(16, 23, 31)'],
        `${path} ${scheme}`,
      );
      await page.close();
    }
});

test('an address with a section or a code leads to it, and examples name this deployment', async () => {
  const page = await visitor.newPage();
  const shown = (id: string): Promise<void> =>
    until(page, `(document.getElementById('${id}')?.getBoundingClientRect().top ?? -1) >= 0 && scrollY > 0`);
  await page.goto(`${server.base}/en/docs/errors#phone_disabled`);
  await shown('phone_disabled');
  await page.getByRole('article').getByRole('link', { name: 'sandbox' }).click();
  await page.waitForURL(`${server.base}/en/docs/sandbox#refusals`);
  await shown('refusals');
  assert.match(
    (await page.locator('pre').first().textContent()) ?? '',
    new RegExp(`^curl ${server.base}/sandbox/v1/ip/`),
  );
  await page.close();
});

test('a reader who chose Python for one example sees Python in all of them, also after a reload', async () => {
  const page = await visitor.newPage();
  await page.goto(`${server.base}/en/docs/examples`);
  await page.getByRole('tab', { name: 'Python' }).first().click();
  for (const path of ['/docs/examples', '/en/docs/api']) {
    await page.goto(`${server.base}${path}`);
    await page.getByRole('tab', { name: 'Python', selected: true }).first().waitFor();
    assert.equal(await page.getByRole('tab', { name: 'curl', selected: true }).count(), 0);
    const code = await page.getByRole('tabpanel').first().textContent();
    assert.match(code ?? '', new RegExp(`urlopen\\("${server.base}/v1/ip/8.8.8.8"`));
  }
  await page.close();
});

test('the docs are searched from the keyboard, with texts that load with the first use', async (_open, t) => {
  const page = await visitor.newPage();
  const texts: Promise<{ readonly responseBodySize: number }>[] = [];
  page.on('requestfinished', (request) => {
    if (/\/assets\/(en|zh|guides)-/.test(request.url())) texts.push(request.sizes());
  });
  await page.goto(`${server.base}/en/docs`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(texts.length, 0);
  await page.keyboard.press('/');
  await page.keyboard.type('batch up to 1,000');
  const results = page.getByRole('search').getByRole('link');
  await results.first().waitFor();
  assert.match((await results.allTextContents()).join('\n'), /^API reference › .*batch/m);
  const sizes = (await Promise.all(texts)).map(({ responseBodySize }) => responseBodySize);
  t.diagnostic(`texts of the search: ${sizes.join(' and ')} bytes, compressed`);
  assert.equal(sizes.length, 2);
  assert.ok(
    sizes.every((size) => size > 5_000 && size < 80_000),
    sizes.join(),
  );

  await page.keyboard.press('Escape');
  await page.keyboard.type('sensor quarantine');
  await results.first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  const href = await page.evaluate<string>('document.activeElement.getAttribute("href")');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${server.base}${href}`);

  // An operation is drawn later than its page, and an English guide is found by its Chinese summary.
  await page.goto(`${server.base}/docs`);
  for (const [question, path, id] of [
    ['自有出口上报', '/docs/api#reportExit', 'reportExit'],
    ['灾难 备份', '', ''],
    ['备份与恢复', '/docs/operating', ''],
  ] as const) {
    await page.getByRole('searchbox').fill(question);
    if (path === '') {
      await page.getByText(LANGUAGES.zh.d.search.none, { exact: true }).waitFor();
      continue;
    }
    await results.first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.base}${path}`);
    if (id !== '')
      await until(page, `scrollY > 0 && document.getElementById('${id}').getBoundingClientRect().top < 40`);
  }
  await page.close();
});

test('every guide of docs/ is a page that the overview leads to, in Chinese under a summary', async () => {
  const { prefix, d } = LANGUAGES.zh;
  const watched = await watchedPage(visitor, server.base);
  await watched.page.goto(`${server.base}${prefix}/docs`);
  const links = watched.page.getByTestId('guides').getByRole('link');
  await links.first().waitFor();
  assert.deepEqual(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href'))), PAGES.guides);
  assert.match((await watched.page.getByTestId('guides').textContent()) ?? '', /[\u4e00-\u9fff]/);
  // The rendering of each is checked as the site is built; the largest pages and tables are looked at.
  for (const path of ['/docs/operating', '/docs/threat-model', '/docs/feeds', '/docs/follow']) {
    await inspect(watched, path, LANGUAGES.en, 'light');
    await inspect(watched, path, LANGUAGES.zh, 'dark');
    assert.match((await watched.page.getByTestId('summary').textContent()) ?? '', new RegExp(d.guides.english));
  }
  await watched.page.close();
});

async function englishTitle(path: string): Promise<string> {
  const page = await contextOf(path).newPage();
  await page.goto(`${server.base}/en${path === '/' ? '' : path}`);
  await settled(page);
  const title = await page.title();
  await page.close();
  return title;
}

test('no two pages share a title', async () => {
  // The operator's rooms are tabs of one page.
  const pages = [...PUBLIC, ...DOORS, ...ROOMS, OPERATOR[0]!];
  for (const path of pages) if (!titles.has(path)) titles.set(path, await englishTitle(path));
  const named = pages.map((path) => titles.get(path)!);
  assert.ok(named.every((title) => title.length > 0));
  const unexpected = named.filter((title, i) => named.indexOf(title) !== i);
  assert.deepEqual(unexpected, []);
});

test('the first load takes at most 200 kB of compressed script, and its files are kept for a year', async (_open, t) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  const scripts = new Set<string>();
  let bytes = 0;
  client.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  const files: Promise<Record<string, string>>[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/assets/')) files.push(response.allHeaders());
  });
  await page.goto(`${server.base}/en`);
  await settled(page);
  assert.ok(bytes > 20_000 && bytes <= SCRIPT_BUDGET, `${bytes} bytes`);
  for (const headers of await Promise.all(files))
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
  t.diagnostic(`first load: ${bytes} bytes of compressed script`);
  await context.close();
});

test('the policy forbids inline script and other hosts, and each answer has a style nonce of its own', async () => {
  const [one, two] = await Promise.all([fetch(`${server.base}/`), fetch(`${server.base}/`)]);
  const policy = one.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self'(;|$)/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.notEqual(policy, two.headers.get('content-security-policy'));
  const html = await one.text();
  assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)/);
  assert.match(html, /<link rel="alternate" hreflang="en" href="http:\/\/127\.0\.0\.1:\d+\/en" \/>/);
});

test('text of a client in a path cannot become markup', async () => {
  const { rawHttp } = await import('../support/raw-http.ts');
  const [answer] = await rawHttp(
    server.port,
    'GET /ip/"><script>alert(1)</script>$&?x="> HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  assert.ok(answer !== undefined);
  assert.doesNotMatch(answer.body, /<script>/);
  assert.doesNotMatch(answer.body, /x="&gt;|\?x=/);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { PAGES } from '../../src/contract/pages.ts';
import { follow, LANGUAGES, type Language, siteTests, until, type Watched } from '../support/browser-site.ts';
import { eventually } from '../support/eventually.ts';
import type { ServeProcess } from '../support/serve-process.ts';

/** Of a page opened directly: with its scripts, compressed; `moved` is the layout shift. */
const requestsMax = (path: string): number => (path.startsWith('/console/') ? 18 : 15);
const bytesMax = (path: string, as?: string): number =>
  as !== undefined || /^\/(docs|status)/.test(path) ? 340_000 : 200_000;
const MOVED_MAX = 0.05;
const WIDE = { width: 1280, height: 900 };
/** The start page is Chinese where the browser prefers it. */
const READER = { locale: 'zh-CN' };
const NARROW = { width: 390, height: 844 };

/** Segments that the stars of a path stand for. */
const FILLED: Readonly<Record<string, readonly string[]>> = {
  '/ip/': ['1.2.3.4', '8.8.8.8'],
  '/net/': ['AS15169'],
  '/net//': ['8.8.8.0/24'],
  '/console/operator/': ['collection', 'overrides', 'feedback', 'today', 'accounts', 'audit'],
};
const [PUBLIC, DOORS, ROOMS, OPERATOR] = [PAGES.visitor, PAGES.signIn, PAGES.account, PAGES.operator].map((pages) =>
  pages.flatMap((page) => FILLED[page.replaceAll('*', '')]?.map((part) => page.replace(/\*.*$/, part)) ?? [page]),
) as [string[], string[], string[], string[]];

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let server: ServeProcess;
let base: string;
const test = siteTests((site) => {
  ({ server, base } = site);
});

/**
 * Serious and critical findings, one line each (what the rule `region` finds is moderate). Meanwhile parts
 * are empty all of whose elements look like earlier ones: the same attributes, classes and stripe inside
 * elements that look alike, with or without text. A long list has a hundred of them.
 */
const findings = (options: string): string => `(async () => {
  const looks = new Map([[null, '']]);
  const look = (element) => {
    if (!looks.has(element)) {
      const own = [element.tagName, ...element.getAttributeNames(), ...['class', 'style', 'role'].map((name) => element.getAttribute(name))];
      own.push(element.matches(':disabled, :checked'), element.textContent.trim() !== '', element.matches('tr:nth-child(even)'));
      looks.set(element, look(element.parentElement) + '>' + own.join(' '));
    }
    return looks.get(element);
  };
  const seen = new Set();
  const emptied = [];
  for (const part of document.querySelectorAll('main :is(section, tr, li, p, dd, pre)')) {
    if (!part.isConnected) continue;
    const all = [part, ...part.querySelectorAll('*')].map(look);
    if (all.every((one) => seen.has(one))) {
      emptied.push([part, [...part.childNodes]]);
      part.replaceChildren();
    }
    for (const one of all) seen.add(one);
  }
  const { violations } = await axe.run(document, { resultTypes: ['violations'], preload: false, ${options} });
  for (const [part, nodes] of emptied) part.replaceChildren(...nodes);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary));
})()`;
const EVERYTHING = findings('rules: { region: { enabled: false } }');
/** What another scheme can break. */
const COLOURS = findings("runOnly: ['color-contrast', 'link-in-text-block']");

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

/** @param language whose page it is; the other language's page may be there still */
const settled = (page: Page, { tag } = LANGUAGES.en as Language): Promise<void> =>
  until(
    page,
    `document.documentElement.lang === '${tag}' && document.querySelector('h1') !== null && document.querySelector('.mantine-Skeleton-root') === null`,
  );

async function seen(page: Page, language: Language, scheme: 'light' | 'dark'): Promise<string> {
  await settled(page, language);
  await until(page, `document.documentElement.dataset.mantineColorScheme === '${scheme}'`);
  assert.equal(await page.locator('h1').count(), 1);
  assert.notEqual(await page.getAttribute('meta[name=description]', 'content'), '');
  return await page.title();
}

async function fits(page: Page, viewport: { readonly width: number; readonly height: number }): Promise<void> {
  await page.setViewportSize(viewport);
  // Charts take their width with a later frame.
  await until(page, 'document.documentElement.scrollWidth <= document.documentElement.clientWidth');
  let torn: readonly string[] = [];
  await eventually(async () => {
    torn = await page.evaluate<readonly string[]>(TORN);
    return torn.length === 0;
  }).catch(() => undefined);
  assert.deepEqual(torn, [], `at ${viewport.width} pixels`);
}

/**
 * Follows the way to a page in Chinese, light and dark, then in English and dark. The site is loaded once for
 * all of them.
 * @returns both titles
 */
async function inspect({ page, faults }: Watched, path: string): Promise<readonly [chinese: string, english: string]> {
  await page.emulateMedia({ colorScheme: 'light' });
  await follow(page, path);
  const chinese = await seen(page, LANGUAGES.zh, 'light');
  await fits(page, NARROW);
  await fits(page, WIDE);
  assert.deepEqual(await page.evaluate(EVERYTHING), []);

  await page.emulateMedia({ colorScheme: 'dark' });
  await seen(page, LANGUAGES.zh, 'dark');
  assert.deepEqual(await page.evaluate(COLOURS), []);
  await follow(page, path === '/' ? '/en' : `/en${path}`);
  const english = await seen(page, LANGUAGES.en, 'dark');
  await fits(page, WIDE);
  assert.deepEqual(await page.evaluate(EVERYTHING), []);
  await fits(page, NARROW);
  assert.deepEqual(faults, []);
  return [chinese, english];
}

// The rendering of each guide is checked as the site is built; the largest pages and tables are looked at.
const LARGE = ['/docs/operating', '/docs/threat-model', '/docs/feeds', '/docs/follow'];

test('every page is sound in both languages and schemes: no axe finding (English in dark alone), silent console, own host only, fits 390 px', async (open, t) => {
  const titles = new Map<string, string>();
  for (const [as, paths] of [
    [{}, [...PUBLIC, ...LARGE, ...DOORS]],
    [{ as: 'op' }, [...ROOMS, ...OPERATOR]],
  ] as const) {
    const watched = await open({ ...READER, ...as });
    await watched.page.goto(`${base}/en/docs`);
    await settled(watched.page);
    await watched.page.evaluate(axeSource);
    for (const path of paths)
      await t.test(path, async () => {
        const [chinese, english] = await inspect(watched, path);
        // An address and a network are named alike in every language, and guides are in English.
        if (!/^\/(?:ip|net)\//.test(path) && !LARGE.includes(path)) assert.notEqual(chinese, english);
        // The operator's rooms are tabs of one page.
        if (!OPERATOR.slice(1).includes(path)) titles.set(english, path);
      });
  }
  await t.test('no two share a title', () => {
    assert.equal(titles.size, [...PUBLIC, ...LARGE, ...DOORS, ...ROOMS].length + 1, [...titles].join('\n'));
    assert.ok(!titles.has(''));
  });
});

test('cards have their edge and their own ground in both schemes, on the start page and in the docs', async (open) => {
  const { page } = await open(READER);
  for (const [path, card] of [
    ['/en', 'main .card'],
    ['/en/docs', '[data-page=overview] ul > li'],
  ] as const) {
    await page.goto(`${base}${path}`);
    await page.locator(card).first().waitFor();
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await until(page, `document.documentElement.dataset.mantineColorScheme === '${scheme}'`);
      const drawn = await page.evaluate<readonly string[]>(`(() => {
        const { borderBottomStyle, borderBottomWidth, backgroundColor } = getComputedStyle(document.querySelector('${card}'));
        return [borderBottomStyle, borderBottomWidth, backgroundColor];
      })()`);
      assert.deepEqual(
        drawn,
        ['solid', '1px', scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(16, 23, 31)'],
        `${path} ${scheme}`,
      );
    }
  }
});

test('an address with a section or a code leads to it, and examples name this deployment', async (open) => {
  const { page } = await open(READER);
  const shown = (id: string): Promise<void> =>
    until(page, `(document.getElementById('${id}')?.getBoundingClientRect().top ?? -1) >= 0 && scrollY > 0`);
  await page.goto(`${base}/en/docs/errors#phone_disabled`);
  await shown('phone_disabled');
  await page.getByRole('article').getByRole('link', { name: 'sandbox' }).click();
  await page.waitForURL(`${base}/en/docs/sandbox#refusals`);
  await shown('refusals');
  assert.match((await page.locator('pre').first().textContent()) ?? '', new RegExp(`^curl ${base}/sandbox/v1/ip/`));
});

test('a reader who chose Python for one example sees Python in all of them, also after a reload', async (open) => {
  const { page } = await open(READER);
  await page.goto(`${base}/en/docs/examples`);
  await page.getByRole('tab', { name: 'Python' }).first().click();
  for (const path of ['/docs/examples', '/en/docs/api']) {
    await page.goto(`${base}${path}`);
    await page.getByRole('tab', { name: 'Python', selected: true }).first().waitFor();
    assert.equal(await page.getByRole('tab', { name: 'curl', selected: true }).count(), 0);
    const code = await page.getByRole('tabpanel').first().textContent();
    assert.match(code ?? '', new RegExp(`urlopen\\("${base}/v1/ip/8.8.8.8"`));
  }
});

test('the docs are searched from the keyboard, with texts that load with the first use', async (open, t) => {
  const { page } = await open(READER);
  const texts: Promise<{ readonly responseBodySize: number }>[] = [];
  page.on('requestfinished', (request) => {
    if (/\/assets\/(en|zh|guides)-/.test(request.url())) texts.push(request.sizes());
  });
  await page.goto(`${base}/en/docs`);
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
  await page.waitForURL(`${base}${href}`);

  // An operation is drawn later than its page, and an English guide is found by its Chinese summary.
  await page.goto(`${base}/docs`);
  for (const [question, path, id] of [
    ['自有出口上报', '/docs/api#reportExit', 'reportExit'],
    ['灾难 备份', '', ''],
    ['可能的攻击者', '/docs/threat-model', ''],
  ] as const) {
    await page.getByRole('searchbox').fill(question);
    if (path === '') {
      await page.getByText(LANGUAGES.zh.d.search.none, { exact: true }).waitFor();
      continue;
    }
    await results.first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${base}${path}`);
    if (id !== '')
      await until(page, `scrollY > 0 && document.getElementById('${id}').getBoundingClientRect().top < 40`);
  }
});

test('every guide of docs/ is a page that the overview leads to, an English one in Chinese under a summary', async (open) => {
  const { page } = await open(READER);
  await page.goto(`${base}/docs`);
  const guides = page.getByTestId('guides');
  await guides.getByRole('link').first().waitFor();
  const links = await guides.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  assert.deepEqual(links, PAGES.guides);
  assert.match((await guides.textContent()) ?? '', /[\u4e00-\u9fff]/);
  await follow(page, LARGE[1]!);
  await page.getByTestId('summary').getByText(LANGUAGES.zh.d.guides.english).waitFor();
});

test('a page opened directly takes few requests and bytes, nothing in it jumps, and its files are kept for a year', async (open, t) => {
  for (const [as, paths] of [
    [undefined, ['/', ...PUBLIC.filter((path) => /^\/(ip|net|status|docs\/api)/.test(path))]],
    ['op', ['/ip/1.2.3.4', '/net/8.8.8.0%2F24', ...ROOMS, ...OPERATOR]],
  ] as const) {
    const { page } = await open(as && { as });
    const client = await page.context().newCDPSession(page);
    await client.send('Network.enable');
    let [requests, bytes] = [0, 0];
    client.on('Network.requestWillBeSent', () => requests++);
    client.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    const kept: (string | undefined)[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/assets/')) kept.push(response.headers()['cache-control']);
    });
    await page.addInitScript(
      `window.moved = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) moved += value; }).observe({ type: 'layout-shift' })`,
    );
    for (const path of paths)
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 740 });
        // What the page before still fetches is not this one's.
        await page.goto(`${base}/robots.txt`, { waitUntil: 'networkidle' });
        await client.send('Network.clearBrowserCache');
        [requests, bytes] = [0, 0];
        await page.goto(`${base}/en${path}`, { waitUntil: 'networkidle' });
        await settled(page);
        const moved = Number(await page.evaluate('moved'));
        t.diagnostic(`${path} at ${width} px: ${requests} requests, ${Math.round(bytes / 1000)} kB, moved ${moved}`);
        assert.ok(
          requests <= requestsMax(path) && bytes <= bytesMax(path, as) && moved <= MOVED_MAX,
          `${path} ${width} ${requests} ${bytes} ${moved}`,
        );
      }
    assert.deepEqual([...new Set(kept)], ['public, max-age=31536000, immutable']);
  }
});

test('the policy forbids inline script and other hosts, and each answer has a style nonce of its own', async () => {
  const [one, two] = await Promise.all([fetch(`${base}/`), fetch(`${base}/`)]);
  const policy = one.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self'(;|$)/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.notEqual(policy, two.headers.get('content-security-policy'));
  const html = await one.text();
  assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)/);
  assert.match(html, /<link rel="alternate" hreflang="en" href="http:\/\/localhost:\d+\/en" \/>/);
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

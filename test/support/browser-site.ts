import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { consoleEn } from '../../console/src/messages/console.en.ts';
import { consoleZh } from '../../console/src/messages/console.zh.ts';
import { docsEn } from '../../console/src/messages/docs.en.ts';
import { docsZh } from '../../console/src/messages/docs.zh.ts';
import { en } from '../../console/src/messages/en.ts';
import { zh } from '../../console/src/messages/zh.ts';
import { startChromium } from './chromium.ts';
import { createAccount, pulseJson } from './cli.ts';
import { eventually } from './eventually.ts';
import { MANY_ANONYMOUS } from './pulse-environment.ts';
import { type ServeProcess, serveProcess } from './serve-process.ts';

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

const ROOT = resolve(import.meta.dirname, '../..');
export const PASSWORD = 'correct horse battery';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const LANGUAGES = {
  zh: { prefix: '', tag: 'zh-CN', t: zh, c: consoleZh, d: docsZh },
  en: { prefix: '/en', tag: 'en', t: en, c: consoleEn, d: docsEn },
} as const;
export type Language = (typeof LANGUAGES)[keyof typeof LANGUAGES];

/**
 * A browser, and the real service with the real site over a small synthetic world: evidence of every state,
 * accounts of every kind.
 */
export interface BrowserSite {
  readonly browser: Browser;
  readonly server: ServeProcess;
  readonly base: string;
}

interface Opening extends NonNullable<Parameters<Browser['newContext']>[0]> {
  /** The browser has the session of this member; a visitor's without. */
  readonly as?: string;
  /** Chromium writes "failed to load" for answers with these statuses; the page is in order. */
  readonly refusals?: readonly number[];
}

/**
 * Gives the test a browser without cookies and storage of earlier tests, with a page. A forbidden act of the
 * page fails the test at its end.
 */
export type Open = (opening?: Opening) => Promise<Watched & { readonly context: BrowserContext }>;

/**
 * Gives the tests of a file the site of this process. `op` is an enterprise operator with agreement and
 * phone, `pro` professional without agreement, `free` free; a test that changes what belongs to one of them
 * makes an account of its own.
 * @param ready is given browser and service before the first test
 * @returns how such a test is made: skipped where no browser can be had, and its browsers are closed behind it
 */
export function siteTests(ready: (site: BrowserSite) => void) {
  let site: BrowserSite | undefined;
  let reason = '';
  before(async () => {
    clearTimeout(unused);
    shared ??= openSite();
    const given = await shared;
    if ('skip' in given) {
      reason = given.skip;
      return;
    }
    site = given;
    ready(site);
  });
  after(() => {
    unused = setTimeout(closeSite, UNTIL_NEXT_FILE_MS);
  });
  return (title: string, body: (open: Open, t: TestContext) => Promise<void>): void =>
    void test(title, async (t) => {
      if (site === undefined) return t.skip(reason);
      const { browser, base } = site;
      const opened: (Watched & { readonly context: BrowserContext; readonly kind: string })[] = [];
      const open: Open = async ({ as, refusals, ...options } = {}) => {
        const kind = JSON.stringify(options);
        const context = idle.get(kind) ?? (await browser.newContext({ ...TAB, ...options }));
        idle.delete(kind);
        if (as !== undefined) await context.addCookies(await session(browser, base, as));
        const page = context.pages()[0] ?? (await context.newPage());
        opened.push({ context, kind, page, faults: watch(page, base, refusals) });
        return opened.at(-1)!;
      };
      try {
        await body(open, t);
        const unexpected = opened.flatMap(({ faults }) => faults);
        assert.deepEqual(unexpected, []);
        for (const { context, kind } of opened.splice(0)) {
          await empty(context, base);
          idle.set(kind, context);
        }
      } finally {
        for (const { context } of opened) await context.close();
      }
    });
}

/** All test files that this process takes share one site; it ends when none of them has begun for a while. */
let shared: Promise<BrowserSite | { readonly skip: string }> | undefined;
let unused: NodeJS.Timeout | undefined;
const UNTIL_NEXT_FILE_MS = 2000;

/** Passkeys belong to a name, so the public address is localhost. */
async function openSite(): Promise<BrowserSite | { readonly skip: string }> {
  const browser = await startChromium();
  if ('skip' in browser) return browser;
  buildSite();
  const server = await startSite();
  return { browser, server, base: `http://${PUBLIC_HOST}:${server.port}` };
}

async function closeSite(): Promise<void> {
  const opened = shared;
  shared = undefined;
  idle.clear();
  const site = await opened;
  if (site === undefined || 'skip' in site) return;
  await site.browser.close();
  await site.server.dispose();
}

/** Tabs of earlier tests, by their options: in a new one the browser would compile the site's scripts again. */
const idle = new Map<string, BrowserContext>();

/** Without reduced motion, whatever still moves is drawn again and again. */
const TAB = { locale: 'en', reducedMotion: 'reduce' } as const;

async function empty(context: BrowserContext, base: string): Promise<void> {
  const [page, ...more] = context.pages() as [Page, ...Page[]];
  for (const one of more) await one.close();
  await context.unrouteAll();
  await page.unrouteAll();
  for (const event of ['console', 'dialog', 'pageerror', 'request', 'requestfinished', 'response'])
    page.removeAllListeners(event);
  await leave(page, base);
  await page.evaluate(`(async () => {
    localStorage.clear();
    for (const { name } of await indexedDB.databases()) indexedDB.deleteDatabase(name);
  })()`);
  await context.clearCookies();
  await page.emulateMedia({ media: null, colorScheme: null });
  await page.setViewportSize({ width: 1280, height: 720 });
}

/**
 * The page without scripts is of the same host: from another the browser would come back with a new process.
 */
const leave = (page: Page, base: string): Promise<unknown> => page.goto(`${base}/robots.txt`);

function buildSite(): void {
  const built = spawnSync(process.execPath, [join(ROOT, 'scripts/build-console.mjs')], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(built.status, 0, built.stderr);
}

/**
 * 1.2.3.4 is an active proxy, 1.2.3.5 active with dpa or not, 8.8.8.9 stale, 8.8.8.8 unseen, and 2001:4860::1
 * active.
 */
function evidence(dataDir: string): void {
  const now = Date.now();
  const at = (ago: number): string => new Date(now - ago).toISOString();
  const rows = [
    ...Array.from({ length: 6 }, (_, day) => ({
      ip: '1.2.3.4',
      risk_type: 'proxy',
      captured_at: at(20 * MINUTE_MS + day * DAY_MS),
    })),
    { ip: '1.2.3.4', risk_type: 'honeypot_scan', captured_at: at(30 * 60 * MINUTE_MS), pool: 'synthetic' },
    { ip: '8.8.8.9', risk_type: 'dialup_pool', captured_at: at(20 * DAY_MS) },
    { ip: '2001:4860::1', risk_type: 'ipv6_range', captured_at: at(5 * MINUTE_MS) },
  ];
  const file = join(dataDir, 'captures.ndjson');
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
  pulseJson(dataDir, ['evidence', 'import', file, '--source', 'site-test', '--since', at(20 * DAY_MS)]);
}

function phones(dataDir: string): void {
  const file = join(dataDir, 'phones.ndjson');
  const at = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
  writeFileSync(
    file,
    [
      {
        number: '+8613800138000',
        risk: 8,
        tags: [101, 105],
        primary_tag: 101,
        first_seen: at(90),
        last_active: at(1),
        observed_days: 12,
      },
      {
        number: '+8613900139000',
        risk: 4,
        tags: [114],
        primary_tag: 114,
        first_seen: at(400),
        last_active: at(200),
        observed_days: 3,
      },
    ]
      .map((row) => JSON.stringify(row))
      .join('\n'),
  );
  pulseJson(dataDir, ['phone', 'import', file, '--library', 'cn', '--full']);
}

export const createMember = ({ dataDir }: ServeProcess, name: string, ...flags: readonly string[]): string =>
  createAccount(dataDir, name, ['--password', PASSWORD, ...flags]);

const PUBLIC_HOST = 'localhost';
export const CONTACT = 'objections@example.com';

async function startSite(): Promise<ServeProcess> {
  const server = await serveProcess({
    clockAt: 'now',
    publicHost: PUBLIC_HOST,
    env: { PULSE_PHONE: 'on', PULSE_CONTACT: CONTACT, ...MANY_ANONYMOUS },
  });
  createMember(server, 'op', '--plan', 'enterprise', '--dpa', '--phone', '--operator');
  createMember(server, 'pro', '--plan', 'professional');
  createMember(server, 'free');
  evidence(server.dataDir);
  phones(server.dataDir);
  await eventually(async () => (await (await fetch(`${server.base}/v1/ip/1.2.3.4`)).text()).includes('"active"'));
  return server;
}

/** Collects forbidden acts of a page: words in the console, requests to another host, breaks of the policy. */
export interface Watched {
  readonly page: Page;
  readonly faults: string[];
}

/** @param refusals statuses that the browser itself reports as "failed to load"; 0 where nothing answers */
export function watch(page: Page, base: string, refusals: readonly number[] = []): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    const expected = refusals.some((status) => text.includes(status === 0 ? 'net::ERR' : `status of ${status} `));
    if (['error', 'warning'].includes(message.type()) && !expected) faults.push(`${page.url()} console: ${text}`);
  });
  page.on('pageerror', (error) => faults.push(`${page.url()} threw: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(`${base}/`))
      faults.push(`${page.url()} asked another host: ${request.url()}`);
  });
  return faults;
}

/** An account signs in once, because its password takes a while to check. */
const sessions = new Map<string, Promise<Cookies>>();

function session(browser: Browser, base: string, name: string): Promise<Cookies> {
  const whose = `${base} ${name}`;
  if (!sessions.has(whose)) sessions.set(whose, signIn(browser, base, name));
  return sessions.get(whose)!;
}

async function signIn(browser: Browser, base: string, name: string): Promise<Cookies> {
  const context = await browser.newContext();
  const data = { email: `${name}@example.com`, password: PASSWORD };
  // While a command holds the records, the service says not_ready and when to come back.
  const answer = await eventually(async () => {
    const given = await context.request.post(`${base}/console/api/session/sign-in`, { data });
    return given.status() !== 503 && given;
  });
  assert.equal(answer.status(), 200, await answer.text());
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

/**
 * Takes the session from the browser. The page is left first: its later requests would be refused, and the
 * browser would report that as a fault.
 */
export async function dropSession(page: Page): Promise<void> {
  await leave(page, new URL(page.url()).origin);
  await page.context().clearCookies();
}

/**
 * Waits until an expression holds in the page, which looks again by itself. The page's policy forbids the way
 * Playwright does this, and a round trip costs more than the look.
 */
export async function until(page: Page, expression: string): Promise<void> {
  const look = `(async () => {
    for (const end = performance.now() + 1000; performance.now() < end; await new Promise((done) => setTimeout(done, 20)))
      if (${expression}) return true;
    return false;
  })()`;
  await eventually(() => page.evaluate<boolean>(look), { hint: () => `on ${page.url()}: ${expression}` });
}

/** Goes to another page of the site as its own links do, without loading the site again. */
export const follow = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);

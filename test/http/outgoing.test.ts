/** Whatever goes outside settles within its bound, whatever comes back, and says what happened. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { fetchFeed } from '../../src/adapters/feeds/fetch-feed.ts';
import { ReadingDeadline } from '../../src/adapters/feeds/reading-deadline.ts';
import { resolveHosts } from '../../src/adapters/feeds/resolve-hosts.ts';
import { getUrl } from '../../src/adapters/http-client/get-url.ts';
import type { Resolve } from '../../src/adapters/http-client/pinned-hosts.ts';
import { within } from '../../src/adapters/http-client/within.ts';
import { checkSmtp } from '../../src/adapters/mail/check-smtp.ts';
import { clientDocumentFetch } from '../../src/adapters/oauth/fetch-client-document.ts';
import { checkCompanyProvider } from '../../src/adapters/sign-in/open-company-provider.ts';
import { webhookSender } from '../../src/adapters/watchlists/webhook-sender.ts';

const READING_MS = 6000;
const SLOW = 'slow';
const head = (status: number, more = ''): string => `HTTP/1.1 ${status} x\r\n${more}\r\n`;
const forever = (part: string) => (socket: Socket) => {
  const timer = setInterval(() => socket.write(part), 50);
  socket.on('close', () => clearInterval(timer));
};

/** Answers to a request. A text is sent, and the connection stays open. */
const ANSWERS: Readonly<Record<string, string | ((socket: Socket) => void)>> = {
  silence: '',
  ...Object.fromEntries([100, 102, 103, 104, 150, 199].map((status) => [`${status} alone`, head(status)])),
  '101': head(101, 'Upgrade: x\r\nConnection: Upgrade\r\n'),
  '101 without headers': head(101),
  '101 after 103': head(103) + head(101, 'Upgrade: x\r\nConnection: Upgrade\r\n'),
  '101 and words': `${head(101, 'Upgrade: x\r\nConnection: Upgrade\r\n')}words`,
  '200 after 103': `${head(103)}${head(200, 'Content-Length: 2\r\n')}{}`,
  'endless 103': forever(head(103)),
  'half a head': 'HTTP/1.1 200 OK\r\nContent-',
  'a head a byte at a time': forever('H'),
  'no HTTP': '220 mail\r\n\r\n',
  'closed at once': (socket) => void socket.end(),
  'closed in the head': (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-'),
  reset: (socket) => void socket.resetAndDestroy(),
  'half a body': `${head(200, 'Content-Length: 100\r\n')}{`,
  'half a body, closed': (socket) => void socket.end(`${head(200, 'Content-Length: 100\r\n')}{`),
  'half a body of gzip': `${head(200, 'Content-Encoding: gzip\r\nContent-Length: 100\r\n')}x`,
  'endless body': (socket) => {
    socket.write(head(200));
    forever('x'.repeat(1000))(socket);
  },
  redirect: head(302, 'Location: http://127.0.0.1:1/\r\nContent-Length: 0\r\n'),
  '404': head(404, 'Content-Length: 0\r\n'),
};

const servers = new Map<string, number>();
const sockets = new Set<Socket>();
const opened: ReturnType<typeof createServer>[] = [];
before(async () => {
  for (const [name, answer] of Object.entries(ANSWERS)) {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', () => (typeof answer === 'string' ? socket.write(answer) : answer(socket)));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    servers.set(name, (server.address() as AddressInfo).port);
    opened.push(server);
  }
});
after(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of opened) server.close();
});

const resolve: Resolve = (host) =>
  host === SLOW ? new Promise(() => {}) : Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
const deadline = () => new ReadingDeadline(READING_MS);
const company = {
  ...{ oidcClientId: 'id', oidcClientSecret: undefined, oidcScopes: 'openid', oidcTrustEmail: false },
  ...{ oidcRoleClaim: undefined, oidcOperatorRole: undefined, oidcUserRole: undefined },
};

interface Port {
  readonly withinMs: number;
  /** Returns what happened, in words. */
  ask(url: string): Promise<unknown>;
  readonly isResolving?: true;
}
/** The resolver of a stranger's address says that every name is public, though the connection goes to this machine. */
const documents = clientDocumentFetch({
  resolve: async (host) => (host === SLOW ? new Promise(() => {}) : [{ address: '45.1.1.1', family: 4 }]),
  get: (url, options) =>
    getUrl(url, {
      ...options,
      lookup: (_host, _options, answer) => answer(null, [{ address: '127.0.0.1', family: 4 }]),
    }),
});
const PORTS: Readonly<Record<string, Port>> = {
  webhook: {
    withinMs: 10_000,
    ask: (url) => webhookSender(['127.0.0.0/8'], resolve)(url, {}, '{}').then(String),
    isResolving: true,
  },
  'client document': {
    withinMs: 5000,
    ask: (url) => documents(new URL(url)).then(JSON.stringify, String),
    isResolving: true,
  },
  feed: {
    withinMs: READING_MS,
    ask: (url) =>
      fetchFeed(url, undefined, { maxBytes: 5000, deadline: deadline(), random: () => 0, resolve }).then(
        ({ status }) => status,
        String,
      ),
    isResolving: true,
  },
  'company provider': {
    withinMs: 1000,
    ask: (url) => checkCompanyProvider({ ...company, oidcIssuer: url }, 1),
  },
  mail: { withinMs: 1000, ask: (url) => checkSmtp(url.replace('http:', 'smtp:'), 1000) },
};

/** Results of answers that have their own. */
const SAID: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  '101': { webhook: /^101$/, 'client document': /answered with 101/, feed: /status 101/ },
  '101 after 103': { webhook: /^101$/, 'client document': /answered with 101/, feed: /status 101/ },
  silence: { webhook: /^timeout$/, 'client document': /timed out/, feed: /cut after 6 s/ },
  'endless 103': { webhook: /^timeout$/, 'client document': /timed out/, feed: /cut after/ },
  'half a head': { webhook: /^timeout$/, 'client document': /timed out/, feed: /cut after/ },
  'closed at once': { webhook: /^ECONNRESET$/, feed: /ECONNRESET/ },
  reset: { webhook: /^ECONNRESET$/, feed: /ECONNRESET/ },
  'half a body': { webhook: /^200$/, 'client document': /timed out/, feed: /cut after/ },
  '200 after 103': { webhook: /^200$/, 'client document': /^\{\}$/, feed: /^fresh$/ },
  redirect: { webhook: /^302$/, 'client document': /answered with 302/, feed: /redirect|private/ },
  '404': { webhook: /^404$/, 'client document': /answered with 404/, feed: /status 404/ },
};

const SLACK_MS = 3000;

describe('outgoing requests', { concurrency: true }, () => {
  for (const [name, { withinMs, ask, isResolving }] of Object.entries(PORTS)) {
    const settles = async (url: string, what: string, expected: RegExp | undefined): Promise<void> => {
      const began = performance.now();
      const said = await within(withinMs + SLACK_MS, () => ask(url)).catch(() => assert.fail(`${name}: ${what} hangs`));
      assert.ok(performance.now() - began <= withinMs + SLACK_MS);
      assert.ok(said !== '', `${name} says nothing of ${what}`);
      if (expected !== undefined) assert.match(String(said), expected, `${name}: ${what}`);
    };
    test(`${name}: every answer ends within ${withinMs} ms`, async () => {
      await Promise.all(
        [...servers].map(([what, port]) => settles(`http://127.0.0.1:${port}/`, what, SAID[what]?.[name])),
      );
    });
    if (isResolving === true)
      test(`${name}: a name that nobody answers for ends within ${withinMs} ms`, () =>
        settles(`http://${SLOW}:9/`, 'a slow name', /^timeout$|timed out|cut after/));
  }

  test('names of a list that nobody answers for end with the time of the reading', async () => {
    const began = performance.now();
    const silent = (): Promise<never> => new Promise(() => {});
    await assert.rejects(resolveHosts(['a.example', 'b.example'], deadline(), silent), /cut after 6 s/);
    assert.ok(performance.now() - began < READING_MS + SLACK_MS);
  });
});

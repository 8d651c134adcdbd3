/** Whatever goes outside settles within its bound, whatever comes back, and says what happened. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { auditCopy } from '../../src/adapters/audit-copy/audit-copy.ts';
import { fetchFeed } from '../../src/adapters/feeds/fetch-feed.ts';
import { ReadingDeadline } from '../../src/adapters/feeds/reading-deadline.ts';
import { resolveHosts } from '../../src/adapters/feeds/resolve-hosts.ts';
import { getUrl } from '../../src/adapters/http-client/get-url.ts';
import type { Resolve } from '../../src/adapters/http-client/pinned-hosts.ts';
import { within } from '../../src/adapters/http-client/within.ts';
import { checkSmtp, smtpMail } from '../../src/adapters/mail/smtp-mail.ts';
import { clientDocumentFetch } from '../../src/adapters/oauth/fetch-client-document.ts';
import { type CompanyConfig, checkCompanyProvider } from '../../src/adapters/sign-in/open-company-provider.ts';
import { ImageBucket } from '../../src/adapters/snapshots/image-bucket.ts';
import { webhookSender } from '../../src/adapters/watchlists/webhook-sender.ts';
import { ANSWERS } from './outgoing.fixture.ts';

const SLACK_MS = 3000;
const READING_MS = 6000;
const SLOW = 'http://slow.example/';

const resolveTo =
  (address: string): Resolve =>
  (host) =>
    SLOW.includes(host) ? new Promise(() => {}) : Promise.resolve([{ address, family: 4 }]);
const deadline = () => new ReadingDeadline(READING_MS);
/** It judges a public address, and its connection goes to this machine. */
const readDocument = clientDocumentFetch({
  resolve: resolveTo('45.1.1.1'),
  get: (url, options) =>
    getUrl(url, { ...options, lookup: (_host, _all, answer) => answer(null, [{ address: '127.0.0.1', family: 4 }]) }),
});
const callWebhook = webhookSender(['127.0.0.0/8'], resolveTo('127.0.0.1'));
const options = { maxBytes: 5000, random: () => 0, resolve: resolveTo('127.0.0.1') };

const mailTo = (url: string) => smtpMail({ url, baseUrl: 'http://x.example', withinMs: 1000 });
const bucket = (imageMs = 6000) =>
  new ImageBucket({ bucket: 'b', prefix: '', pathStyle: true }, { silenceMs: 5000, imageMs });

const sendRow = (url: string) => {
  const { hostname: host, port } = new URL(url);
  return auditCopy({ over: 'tcp', host, port: Number(port) })([]).then(() => 'sent');
};

/** Bound, and what it says: of any answer, of 101, of a redirect. Those with the last have a resolver of their own. */
const PORTS: Readonly<Record<string, readonly [number, (url: string) => Promise<unknown>, ...RegExp[]]>> = {
  webhook: [10_000, (url) => callWebhook(url, {}, '{}'), /^(timeout|\d+|[A-Z_]+)$/, /^101$/, /^302$/],
  'client document': [5000, (url) => readDocument(new URL(url)), /./, /with 101/, /with 302/],
  feed: [READING_MS, (url) => fetchFeed(url, undefined, { ...options, deadline: deadline() }), /./, /status 101/, /./],
  'company provider': [1000, (url) => checkCompanyProvider({ oidcIssuer: url } as CompanyConfig, 1), /./],
  'check of mail': [1000, (url) => checkSmtp(url.replace('http', 'smtp'), 1000), /./],
  mail: [1000, (url) => mailTo(url.replace('http', 'smtp')).verify('a@example.com', 'http://x/', 'en'), /Error/],
  'audit row': [5000, sendRow, /TimeoutError|ECONNRESET|sent/],
  'S3 pointer': [6000, (url) => bucket().text(new URL(url).port), /./, /with 101/],
  'S3 image': [6000, (url) => bucket().image(new URL(url).port, 'evidence'), /./, /with 101/],
  'S3 upload': [
    6000,
    (url) =>
      bucket(60_000)
        .write(new URL(url).port, new Uint8Array(9))
        .then(() => 'written'),
    /./,
    /with 101/,
  ],
};

const servers: Server[] = [];
const sockets: Socket[] = [];
after(() => {
  for (const server of servers) server.close();
  for (const socket of sockets) socket.destroy();
});
/** The library has one endpoint in the process: it leads to the server whose port is the name of the object. */
before(async () => {
  const AWS_ENDPOINT_URL = await serve((socket) => {
    socket.once('data', (request) => {
      const to = connect(Number(/^\w+ \/b\/(\d+)/.exec(String(request))![1]), '127.0.0.1');
      sockets.push(to.on('error', () => socket.destroy()));
      to.write(request);
      socket.pipe(to).pipe(socket);
    });
  });
  const keys = { AWS_REGION: 'x', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
  Object.assign(process.env, keys, { AWS_ENDPOINT_URL });
  // Loading the library takes seconds of a busy machine, which are no time of an answer.
  await bucket().text('1').catch(String);
});
async function serve(answer: (typeof ANSWERS)[string]): Promise<string> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket.on('error', () => {}));
    if (typeof answer === 'string') socket.write(answer);
    else answer(socket);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('outgoing', { concurrency: true }, () => {
  for (const [name, [ms, ask, any, ofSwitch, ofRedirect]] of Object.entries(PORTS))
    test(`${name}: every answer, and a name that nobody resolves, ends within its time and is named`, async () => {
      const settles = async (url: string, what: string, expected = any): Promise<void> => {
        const said = await within(ms + SLACK_MS, () => ask(url).catch(String)).catch(() => `${what} hangs`);
        assert.match(String(said), expected!, `${name}: ${what}`);
        assert.doesNotMatch(String(said), /hangs|undefined/);
      };
      const expected: Readonly<Record<string, RegExp | undefined>> = {
        ...{ switch: ofSwitch, 'switch without headers': ofSwitch, redirect: ofRedirect },
      };
      await Promise.all([
        ...Object.entries(ANSWERS).map(async ([what, answer]) => settles(await serve(answer), what, expected[what])),
        ofRedirect && settles(SLOW, 'a name', /^timeout$|timed out|cut after 6 s/),
      ]);
    });

  test('names of a list end with the time of its reading', () =>
    assert.rejects(
      resolveHosts(['a.example'], deadline(), () => new Promise(() => {})),
      /cut after 6 s/,
    ));
});

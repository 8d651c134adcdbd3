/**
 * A page of a stranger in a real browser: it may make its visitor's browser knock at every port of a sensor,
 * and its visitor is not evidence for that.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createSite } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeHostKey } from '../../src/apps/sensor/ssh-server.ts';
import { startSensor } from '../../src/apps/sensor/start-sensor.ts';
import type { FoldedCapture } from '../../src/core/collection/tally/collection-tally.ts';
import { SENSOR_PROTOCOLS } from '../../src/core/collection/traps/trap.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { startChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { relayTo } from '../support/sensor-process.ts';

const VISITOR = '45.90.9.1';
/** Commands and answers of every protocol that speaks in lines. */
const BODY = 'AUTH hunter2\r\nUSER root\r\nPASS toor\r\nEHLO a\r\nAUTH PLAIN AGEAYg==\r\nroot\r\ntoor\r\n';

/** Requests for everything a page may load by itself, without a referrer. */
const markup = (host: string) => `<link rel=stylesheet href="http://${host}/.env"><img src="http://${host}/.git/config">
<img src="https://${host}/"><video src="http://${host}/v"></video><iframe name="i${host}"></iframe>
<form method=post action="http://${host}/login" target="i${host}"><input name=user value=root><input name=password value=toor></form>
<form method=post enctype="text/plain" action="http://${host}/" target="_blank"><textarea name=a>${BODY}</textarea></form>`;

/** Runs in the page. */
const script = (hosts: readonly string[]): string => `for (const form of document.forms) form.submit();
const post = (host, body, more) => fetch('http://' + host + '/', { method: 'POST', body, ...more }).catch(() => 0);
for (const host of ${JSON.stringify(hosts)}) {
  post(host, ${JSON.stringify(BODY)}, { mode: 'no-cors' });
  for (const password of ['a', 'b']) post(host, new URLSearchParams({ user: 'root', password }), { mode: 'no-cors' });
  post(host, '{}', { headers: { 'Content-Type': 'application/json', Authorization: 'Basic YTpi' } });
  fetch('http://' + host + '/?' + 'a'.repeat(20000), { mode: 'no-cors', headers: { 'Accept-Language': '' } }).catch(() => 0);
  navigator.sendBeacon('http://' + host + '/', ${JSON.stringify(BODY)});
  new EventSource('http://' + host + '/');
  new WebSocket('ws://' + host + '/');
  new WebSocket('wss://' + host + '/');
  const link = document.createElement('link');
  document.head.append(Object.assign(link, { rel: 'preconnect', href: 'http://' + host + '/' }));
  (async () => {
    const turn = (scheme) => ({ urls: scheme + ':' + host + '?transport=tcp', username: 'AUTH', credential: 'a' });
    const caller = new RTCPeerConnection({ iceServers: [turn('turn'), turn('turns')] });
    caller.createDataChannel('a');
    const offer = await caller.createOffer();
    await caller.setLocalDescription(offer);
    await caller.setRemoteDescription({ type: 'answer', sdp: offer.sdp.replace(/a=setup:\\S+/, 'a=setup:active').replace(/a=ice-ufrag:\\S+/, 'a=ice-ufrag:AUTHa') });
    const [address, port] = host.split(':');
    for (const kind of ['tcp', 'ssltcp']) await caller.addIceCandidate({ candidate: 'candidate:1 1 ' + kind + ' 1 ' + address + ' ' + port + ' typ host tcptype passive', sdpMid: '0' });
  })();
}`;

/** Asked for a password, a browser holds a request until its visitor answers. This one cancels at once. */
async function refusePasswords(tab: Page): Promise<void> {
  const session = await tab.context().newCDPSession(tab);
  // A request that has gone by then needs no answer.
  const gone = (): void => undefined;
  session.on('Fetch.requestPaused', ({ requestId }) => {
    session.send('Fetch.continueRequest', { requestId }).catch(gone);
  });
  session.on('Fetch.authRequired', ({ requestId }) => {
    const authChallengeResponse = { response: 'CancelAuth' } as const;
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(gone);
  });
  await session.send('Fetch.enable', { handleAuthRequests: true });
}

test('whatever a page of another site makes a browser send, its visitor is not evidence', {
  timeout: 120_000,
}, async (t) => {
  const browser = await startChromium();
  if ('skip' in browser) return t.skip(browser.skip);
  t.after(() => browser.close());
  const handed: FoldedCapture[] = [];
  const ports = await Promise.all(
    SENSOR_PROTOCOLS.map(async (protocol) => ({ port: await freePort(), publicPort: 80, protocol })),
  );
  const silent = (): void => undefined;
  const sensor = await startSensor({
    ports,
    host: '127.0.0.1',
    skipTaken: false,
    proxies: [parsePrefix('127.0.0.0/8')!],
    ignored: [],
    // A page opens more connections at once than one source may have.
    limits: { openMax: 2000, openOfSourceMax: 2000, perMinuteMax: 100_000, perMinuteOfSourceMax: 100_000 },
    bounds: { silenceMs: 1000, lifetimeMs: 60_000, bytesMax: 64 * 1024, attemptsMax: 10 },
    intervalMs: 3_600_000,
    hash: (text) => createHash('sha256').update(text).digest('base64url'),
    now: Date.now,
    hostKeys: () => [makeHostKey('ed25519')],
    handOn: (rows) => Promise.resolve(void handed.push(...rows)),
    log: { error: silent, warn: silent, info: silent, debug: silent },
  });
  t.after(() => sensor.stop());
  const begun = new Set<string>();
  const relays: Server[] = [];
  const hosts: string[] = [];
  for (const { port, protocol } of ports) {
    const relay = await relayTo(port, VISITOR);
    relays.push(
      relay.on('connection', (socket) =>
        socket.once('data', (bytes) =>
          begun.add(`${protocol} ${/^(?:GET|POST|OPTIONS)/.exec(bytes.toString('latin1'))?.[0] ?? bytes[0]}`),
        ),
      ),
    );
    hosts.push(`127.0.0.1:${(relay.address() as AddressInfo).port}`);
  }
  const page = `<!doctype html><meta name=referrer content=no-referrer>${hosts.map(markup).join('')}<script>${script(hosts)}</script>`;
  const site = createSite((_, response) => void response.setHeader('content-type', 'text/html').end(page));
  await once(site.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    for (const server of [site, ...relays]) server.close();
  });

  const tab = await browser.newPage();
  await refusePasswords(tab);
  await tab.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`, { waitUntil: 'commit' });
  // TLS begins with 22, STUN with 0; a browser sends STUN only where it has an address beyond the loopback.
  const isConnected = Object.values(networkInterfaces()).some((all) => all?.some(({ internal }) => !internal));
  const begins = ['GET', 'POST', 'OPTIONS', '22', ...(isConnected ? ['0'] : [])];
  const wanted = SENSOR_PROTOCOLS.flatMap((protocol) => begins.map((begin) => `${protocol} ${begin}`));
  await eventually(() => wanted.every((one) => begun.has(one)), {
    withinMs: 60_000,
    hint: () => wanted.filter((one) => !begun.has(one)).join(),
  });
  // A connection is counted when its head is read, or when it has ended. Those that the browser gave up
  // before are not counted.
  await eventually(() => sensor.counts.driven >= SENSOR_PROTOCOLS.length, {
    withinMs: 30_000,
    hint: () => String(sensor.counts.driven),
  });
  await tab.goto(`http://root:toor@${hosts[SENSOR_PROTOCOLS.indexOf('http')]}/`).catch(() => undefined);
  await sensor.stop();
  assert.deepEqual(handed, []);
});

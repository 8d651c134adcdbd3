import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { testFolder } from '../../../../test/support/test-folder.ts';
import { unixMs } from '../../../core/units.ts';
import { routesOf } from '../routes.ts';
import type { HttpServices } from '../services.ts';
import { newAppPipe } from './app-pipe.ts';
import { createHttpServer } from './create-http-server.ts';

const quiet = (): void => {};
const services = {
  clock: { now: () => unixMs(0) },
  log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  ledger: { flushed: () => undefined },
  view: () => undefined,
  trustedProxies: [],
  baseUrl: 'http://127.0.0.1',
} as unknown as HttpServices;

const address = newAppPipe(join(testFolder('pipe'), 's'));
const http = createHttpServer({
  idPrefix: 't-',
  services,
  seal: address.seal,
  connections: { silenceMs: 0, requestsMax: Number.POSITIVE_INFINITY, connectionsMax: 3 },
  plugins: [(app) => void app.get('/', () => 'ok')],
  routes: routesOf('', ['GET', '/', undefined, 'lookup']),
});
await http.listen({ path: address.path });
after(() => http.close(0));

const open = () => connect(address.path).on('error', quiet);

test('a connection of the pipe that does not show the seal in time is cut, one that has shown it stays', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sealed = open();
  let text = '';
  sealed.on('data', (chunk) => (text += String(chunk)));
  const ask = (): void =>
    void sealed.write(`GET / HTTP/1.1\r\nX-Pulse-Seal: ${address.seal} 1 192.0.2.1 \r\nHost: a\r\n\r\n`);
  ask();
  await eventually(() => text.includes('200'));
  const silent = open();
  const unfinished = open();
  unfinished.write(`GET / HTTP/1.1\r\nX-Pulse-Seal: ${address.seal} 1 192.0.2.1 \r\n`);
  await eventually(() => new Promise((count) => http.server.getConnections((_, open) => count(open === 3))));
  const refused = open().resume();
  await once(refused, 'close');
  const cut = Promise.all([silent, unfinished].map((socket) => once(socket.resume(), 'close')));
  t.mock.timers.tick(1000);
  await cut;
  text = '';
  ask();
  await eventually(() => text.includes('200'));
  sealed.destroy();
});

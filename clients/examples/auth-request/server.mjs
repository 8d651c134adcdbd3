// Says to nginx (auth_request) and Caddy (forward_auth) whether the client of a request may go on. Listens on loopback, for a proxy on the same machine.
//   PULSE_URL, PULSE_KEY   the service, and the key for it
//   PULSE_FAILURE          open or closed: the answer without a verdict
//   PULSE_DAY_USED_UP      the same once the account's day is used up; as PULSE_FAILURE when left out
//   PULSE_TIMEOUT_MS       how long a request waits for its verdict, 300 when left out; less than the proxy waits
//   PORT                   9470 when left out
import { createServer } from 'node:http';
import { judge, Pulse } from 'pulse-client';

const {
  PULSE_URL = 'http://127.0.0.1:8080',
  PULSE_KEY,
  PULSE_FAILURE,
  PULSE_DAY_USED_UP = PULSE_FAILURE,
  PULSE_TIMEOUT_MS = '300',
  PORT = '9470',
} = process.env;
for (const [name, choice] of Object.entries({ PULSE_FAILURE, PULSE_DAY_USED_UP }))
  if (choice !== 'open' && choice !== 'closed') throw new Error(`Set ${name} to open or closed.`);
const pulse = new Pulse({ baseUrl: PULSE_URL, key: PULSE_KEY });
const options = { pulse, failure: PULSE_FAILURE, dayUsedUp: PULSE_DAY_USED_UP, timeoutMs: Number(PULSE_TIMEOUT_MS) };

// A proxy takes 2xx for yes and 403 for no. A challenge is the application's matter: the proxy hands X-Pulse-Action on to it.
const server = createServer(async (request, response) => {
  // The proxy overwrites this header with the address of the connection.
  const { action, reason, ip } = await judge(options, request.headers['x-real-ip']);
  if (action === 'deny') console.log(JSON.stringify({ ip, action, reason }));
  response.writeHead(action === 'deny' ? 403 : 204, { 'X-Pulse-Action': action }).end();
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on 127.0.0.1:${server.address().port}`));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());

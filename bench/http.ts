/**
 * GET /v1/ip/{ip} whole (headers, exact quota, log append) against a node:http hello world, fastify +
 * maxmind, and nginx with the GeoIP2 module, interleaved in one run: servers pinned to core 0, wrk and Redis
 * to core 1. Read ratios, not rates. Needs wrk and taskset; nginx with libnginx-mod-http-geoip2 where
 * present; `npm ci` in bench/ for maxmind. A missing peer is left out and named.
 *
 *   node bench/http.ts [--rounds 7] [--seconds 2] [--connections 64] [--data-dir DIR]
 *
 * Without --data-dir the service runs on the small synthetic world of the tests; with it on a folder that was
 * built before.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startRedis } from '../test/support/redis.ts';
import { writeSyntheticGeo } from '../test/support/synthetic-geo.ts';
import {
  type Contender,
  freePort,
  loadInTurns,
  loadTable,
  MMDB,
  requireTools,
  scratch,
  script,
  start,
  startHello,
  startMaxmind,
  startPulse,
  stopAll,
  unlimitedKey,
} from './peers/http-load.ts';
import { isInstalled } from './peers/spend.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    'data-dir': { type: 'string' },
  },
});

const FASTIFY_ROUTE = `app.get('/v1/ip/:ip', (request) => ({ ip: request.params.ip, geo: reader.get(request.params.ip) ?? null, computed_at: new Date().toISOString() }));`;

const NGINX = (port: number): string => `
master_process off; daemon off; pid ${scratch}/nginx.pid; error_log ${scratch}/nginx.log;
load_module /usr/lib/nginx/modules/ngx_http_geoip2_module.so;
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path ${scratch}/a; proxy_temp_path ${scratch}/b; fastcgi_temp_path ${scratch}/c; uwsgi_temp_path ${scratch}/d; scgi_temp_path ${scratch}/e;
  map $uri $address { "~^/v1/ip/(?<a>[0-9.]+)$" $a; }
  geoip2 ${MMDB} { $country source=$address country_code; $city source=$address city; $region source=$address state1; }
  server { listen 127.0.0.1:${port} backlog=1024; keepalive_requests 1000000000; default_type application/json; location /v1/ip/ { return 200 '{"ip":"$address","geo":{"country":"$country","region":"$region","city":"$city"}}'; } }
}
`;

async function contenders(): Promise<readonly Contender[]> {
  const list: Contender[] = [await startHello()];
  const dataDir = values['data-dir'] ?? join(scratch, 'data');
  if (values['data-dir'] === undefined) writeSyntheticGeo(dataDir);
  const key = unlimitedKey(dataDir);
  const pulse = await startPulse({ name: 'pulse, anonymous', dataDir });
  const headers = [`X-API-Key: ${key}`];
  const decide = pulse.url.replace('/v1/ip/8.8.8.8', '/v1/decide?ip=8.8.8.8');
  list.push(pulse, { ...pulse, name: 'pulse, with key', headers, slices: [] });
  list.push({ ...pulse, name: 'pulse, /v1/decide with key', url: decide, headers, slices: [] });
  if (!('skip' in redis)) {
    const shared = join(scratch, 'shared');
    writeSyntheticGeo(shared);
    const headers = [`X-API-Key: ${unlimitedKey(shared)}`];
    const name = 'pulse, with key, counters in Redis';
    list.push({ ...(await startPulse({ name, dataDir: shared, redisUrl: redis.url })), headers });
  } else process.stderr.write(`left out: Redis (${redis.skip})\n`);
  const path = '/v1/ip/8.8.8.8';
  const fastify = await startMaxmind('fastify + maxmind (no quota)', path, FASTIFY_ROUTE);
  if (fastify !== undefined) list.push(fastify);
  if (isInstalled('nginx') && existsSync('/usr/lib/nginx/modules/ngx_http_geoip2_module.so') && existsSync(MMDB)) {
    const port = await freePort();
    const command = ['nginx', '-p', scratch, '-c', script('nginx.conf', NGINX(port))];
    list.push(await start({ name: 'nginx + GeoIP2 (no quota)', command, url: `http://127.0.0.1:${port}${path}` }));
  } else process.stderr.write('left out: nginx (nginx and libnginx-mod-http-geoip2)\n');
  return list;
}

const redis = await startRedis();
try {
  requireTools();
  const all = await contenders();
  loadInTurns(all, Number(values.rounds), { seconds: Number(values.seconds), connections: Number(values.connections) });
  loadTable(all);
} finally {
  await stopAll();
  if (!('skip' in redis)) await redis.dispose();
}

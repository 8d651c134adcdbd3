/** Every file of deploy/ is shipped to operators, and a test runs it: an artefact that nobody ran is broken. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { test } from 'node:test';
import { covers } from '../spec/covers.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CONTAINERS = 'test/deploy/containers.test.ts';
const UNITS = 'test/deploy/units.test.ts';
const PROXIES = 'test/deploy/proxies.test.ts';
const DECISIONS = 'test/deploy/decide-proxies.test.ts';
const OBSERVABILITY = 'test/deploy/observability.test.ts';

/** The test of each file, and what it does with it. */
const TESTS: Readonly<Record<string, readonly [test: string, how: string]>> = {
  '.env.example': [CONTAINERS, 'its values are given to compose.yaml'],
  Containerfile: [CONTAINERS, 'built from a clean clone and run'],
  'compose.sensor.yaml': [CONTAINERS, 'its service is started'],
  'compose.yaml': [CONTAINERS, 'its services are started and asked'],
  'decide/Caddyfile': [DECISIONS, 'run by Caddy'],
  'decide/decide.lua': [DECISIONS, 'run by HAProxy'],
  'decide/haproxy.cfg': [DECISIONS, 'run by HAProxy'],
  'decide/nginx.conf': [DECISIONS, 'run by nginx'],
  'kubernetes/pulse.yaml': ['test/deploy/kubernetes.test.ts', 'checked against the types of the API'],
  'make-secrets.sh': ['test/deploy/database-role.test.ts', 'run'],
  'observability/alert-cases.yaml': [OBSERVABILITY, 'run by promtool'],
  'observability/alerts.yaml': [OBSERVABILITY, 'run by promtool'],
  'observability/dashboard.json': [OBSERVABILITY, 'its metrics are those that the service exports'],
  'postgres/make-role.sql': ['test/deploy/database-role.test.ts', 'run by psql'],
  'proxy/Caddyfile': [PROXIES, 'run by Caddy'],
  'proxy/haproxy.cfg': [PROXIES, 'run by HAProxy'],
  'proxy/nginx.conf': [PROXIES, 'run by nginx'],
  'systemd/pulse-sensor.env.example': [UNITS, 'its names are those of the unit'],
  'systemd/pulse-sensor.service': [UNITS, 'rated by systemd-analyze'],
  'systemd/pulse.env.example': [UNITS, 'read as settings'],
  'systemd/pulse.service': [UNITS, 'rated by systemd-analyze'],
  'with-secrets.sh': [CONTAINERS, 'entry of the image'],
};

test('every file of deploy/ has a test that runs or reads it, and no row is left over', () => {
  covers('SHIPPED-RUN');
  const deploy = join(ROOT, 'deploy');
  const shipped = globSync(['**/*', '.*'], { cwd: deploy, exclude: ['secrets', '.env'] }).filter((path) =>
    statSync(join(deploy, path)).isFile(),
  );
  assert.deepEqual(shipped.toSorted(), Object.keys(TESTS).toSorted());
  for (const [path, [file]] of Object.entries(TESTS)) {
    const supports = globSync('test/support/{compose-services,container-engine,proxy-example}.ts', { cwd: ROOT });
    const source = [file, ...supports].map((name) => readFileSync(join(ROOT, name), 'utf8')).join('\n');
    assert.ok(source.includes(basename(path).replace(/\.service$/, '')), `${file} does not name ${path}`);
  }
});

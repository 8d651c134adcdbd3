/**
 * The image of deploy/Containerfile and the services of the compose files, built and run by Podman over base
 * images made of Debian's packages.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { LARGE_BLOCK, NODE_FLAGS } from '../../scripts/runtime.mjs';
import { covers } from '../spec/covers.ts';
import { type ComposeServices, startCompose } from '../support/compose-services.ts';
import {
  buildPulse,
  buildStandIns,
  type ContainerEngine,
  type ContainerNetwork,
  isOutOfReach,
  openContainerEngine,
  openContainerNetwork,
} from '../support/container-engine.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const IMAGE = `localhost/pulse-test/pulse-${process.pid}`;
/** Options of every container in docs/operating.md. */
const HARDENED =
  '--read-only --read-only-tmpfs=false --tmpfs=/tmp --cap-drop=all --security-opt=no-new-privileges'.split(' ');
/** A stop that takes longer hangs: how fast this machine is says nothing of it. */
const STOP = ['stop', '--time=120'];
/** Nothing of it is cached on a new machine, which may be busy. */
const MINUTES = { timeout: 1_200_000 };
const ENTRY = '/pulse/deploy/with-secrets.sh';

test('all that reaches a build is copied by the Containerfile, and it copies nothing else', () => {
  const allowed = read('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  const copied = [...read('deploy/Containerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources]) =>
    sources!.split(' '),
  );
  const within = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  assert.deepEqual(
    allowed.filter((path) => !copied.some((source) => within(source, path))),
    [],
  );
  assert.deepEqual(
    copied.filter((source) => !allowed.some((path) => within(source, path))),
    [],
  );
});

let engine: ContainerEngine | undefined;
let why = '';
before(async () => {
  const opened = await openContainerEngine();
  if ('skip' in opened) {
    why = opened.skip;
    return;
  }
  try {
    await buildPulse(opened, IMAGE);
    engine = opened;
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
    why = `the image cannot be built here: ${(error as Error).message.slice(-300)}`;
  }
}, MINUTES);
after(async () => {
  if (engine === undefined) return;
  await engine.podman(['rmi', '--force', IMAGE]);
  await engine.podman(['image', 'prune', '--force', '--filter=until=72h']);
});

/** A folder with one secret, as a file that the container's user may read. */
function secretFolder(): string {
  const folder = testFolder('secrets');
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'PULSE_SECRET'), `${'c0ffee'.repeat(8)}\n`, { mode: 0o444 });
  return folder;
}

describe('the image', () => {
  test('holds no tests and no development packages', async (t) => {
    if (engine === undefined) return t.skip(why);
    const list = async (folder: string): Promise<readonly string[]> =>
      (await engine!.podman(['run', '--rm', '--network=none', '--entrypoint=ls', IMAGE, folder])).trim().split('\n');
    assert.deepEqual(
      await list('/pulse'),
      'LICENSE NOTICE console data deploy docs node_modules package.json src'.split(' '),
    );
    assert.deepEqual(await list('/pulse/deploy'), ['with-secrets.sh']);
    const packages = await list('/pulse/node_modules');
    assert.ok(packages.includes('fastify'));
    assert.deepEqual(
      ['typescript', 'vite', 'playwright-core', '@biomejs'].filter((name) => packages.includes(name)),
      [],
    );
    const find = ['--entrypoint=find', IMAGE, '/pulse/src', '-name', '*.test.ts'];
    assert.equal(await engine.podman(['run', '--rm', '--network=none', ...find]), '');
  });

  test('runs over a read-only root, without capabilities, in 1 GiB: lookup, site, a command, and a stop', async (t) => {
    if (engine === undefined) return t.skip(why);
    covers('CONTAINER-RUN');
    const name = `pulse-test-${process.pid}-one`;
    const { podman } = engine;
    const port = await freePort();
    const settings = { PULSE_PORT: port, PULSE_METRICS: 'off', PULSE_FEEDS: 'off', PULSE_LOG: 'warn' };
    await podman([
      ...['run', '--detach', `--name=${name}`, '--network=host', '--memory=1g', '--memory-swap=1g', ...HARDENED],
      ...[`--volume=${secretFolder()}:/run/secrets:ro`, `--volume=${name}:/data`],
      ...Object.entries(settings).map(([key, value]) => `--env=${key}=${value}`),
      IMAGE,
    ]);
    t.after(async () => {
      await podman(['rm', '--force', '--ignore', name]);
      await podman(['volume', 'rm', '--force', name]);
    });
    const base = `http://127.0.0.1:${port}`;
    const state = async (field: string): Promise<string> =>
      (await podman(['inspect', '--format', `{{.State.${field}}}`, name])).trim();
    const runs = async (): Promise<boolean> => (await state('Running')) === 'true';
    const ready = async (): Promise<boolean> => !(await runs()) || (await fetch(`${base}/readyz`)).status === 200;
    await eventually(ready, { withinMs: 240_000, everyMs: 500 }).catch(async (cause) => {
      throw new Error(await engine!.logs(name), { cause });
    });
    assert.ok(await runs(), await engine.logs(name));
    const verdict = (await (await fetch(`${base}/v1/ip/8.8.8.8`)).json()) as { ip: string; geo: { country: string } };
    assert.deepEqual([verdict.ip, verdict.geo.country], ['8.8.8.8', 'US']);
    assert.match(await (await fetch(`${base}/en`)).text(), /<!doctype html>/i);
    assert.deepEqual(JSON.parse(await podman(['exec', name, ENTRY, 'account', 'list', '--json'])), []);
    const inside = async (file: string): Promise<readonly string[]> =>
      (await podman(['exec', name, 'cat', file])).split('\0');
    assert.deepEqual(
      (await inside('/proc/1/cmdline')).slice(1, 1 + NODE_FLAGS.length),
      NODE_FLAGS,
      'memory is bounded as by the starter',
    );
    assert.ok((await inside('/proc/1/environ')).includes(`MALLOC_MMAP_THRESHOLD_=${LARGE_BLOCK}`));
    assert.match((await inside('/proc/1/status'))[0]!, /^CapEff:\t0+$/m);
    assert.equal(await engine.succeeds(['exec', name, 'touch', '/pulse/x']), false, 'the root is read-only');
    assert.equal(await engine.succeeds(['exec', name, 'ls', '/data/secret']), false, 'a secret of its own was made');
    await podman([...STOP, name]);
    assert.deepEqual([await state('ExitCode'), await state('OOMKilled')], ['0', 'false'], await engine.logs(name));
  });

  test('does not start when a secret cannot be read', async (t) => {
    if (engine === undefined) return t.skip(why);
    const folder = testFolder('unreadable');
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'PULSE_SECRET'));
    const words = ['run', '--rm', '--network=none', ...HARDENED, `--volume=${folder}:/run/secrets:ro`];
    assert.equal(await engine.succeeds([...words, IMAGE, 'account', 'list']), false);
  });
});

describe('compose files', () => {
  const SITE = 'pulse.localhost';
  let network: ContainerNetwork | undefined;
  before(async () => {
    if (engine === undefined) return;
    // The network of the services has no way out, so what stands in for their images is built outside.
    await buildStandIns(engine);
    network = openContainerNetwork();
  });
  after(() => network?.close());

  /** Status and body of a request through Caddy, whose own authority signs for this name. */
  async function ask(path: string): Promise<readonly [number, string]> {
    const words = ['--insecure', '--silent', '--max-time', '10', '--write-out', '\n%{http_code}'];
    const answer = await network!.run('curl', [
      ...words,
      '--resolve',
      `${SITE}:443:10.77.0.10`,
      `https://${SITE}${path}`,
    ]);
    const end = answer.lastIndexOf('\n');
    return [Number(answer.slice(end + 1)), answer.slice(0, end)];
  }

  test(
    'every service of compose.yaml has a health check, becomes healthy, and lookups, site and commands work',
    MINUTES,
    async (t) => {
      if (network === undefined) return t.skip(why);
      const { engine } = network;
      covers('CONTAINER-RUN');
      const services: ComposeServices = await startCompose(engine, 'compose.yaml', {
        pulseImage: IMAGE,
        variables: { PULSE_SITE: SITE },
        environment: { PULSE_FEEDS: 'off', PULSE_LOG: 'warn' },
      });
      t.after(() => services.dispose());
      for (const name of services.names) assert.ok(await services.isHealthy(name), name);
      await eventually(async () => (await ask('/readyz'))[0] === 200);
      const [status, body] = await ask('/v1/ip/8.8.8.8');
      assert.equal(status, 200, body);
      assert.equal((JSON.parse(body) as { geo: { country: string } }).geo.country, 'US');
      assert.match((await ask('/en'))[1], /<!doctype html>/i);
      const list = ['exec', services.container('pulse-a'), ENTRY, 'account', 'list', '--json'];
      assert.deepEqual(JSON.parse(await eventually(() => engine.podman(list), { everyMs: 500 })), []);
      await engine.podman([...STOP, services.container('pulse-a')]);
      const left = await engine.podman(['inspect', '--format', '{{.State.ExitCode}}', services.container('pulse-a')]);
      assert.equal(left.trim(), '0', await engine.logs(services.container('pulse-a')));
      assert.equal((await ask('/v1/ip/8.8.4.4'))[0], 200, 'the other node answers');
      await engine.podman(['stop', services.container('valkey')]);
      assert.equal(await services.isHealthy('valkey'), false, 'a health check notices that its service is gone');
    },
  );

  test('the sensor of compose.sensor.yaml takes connections without capabilities', async (t) => {
    if (network === undefined) return t.skip(why);
    const { engine } = network;
    covers('CONTAINER-RUN');
    const services = await startCompose(engine, 'compose.sensor.yaml', {
      pulseImage: IMAGE,
      variables: { SENSOR_REPORT: 'https://pulse.localhost', SENSOR_NAME: 'sensor-1' },
      environment: {},
    });
    t.after(() => services.dispose());
    const banner =
      "require('net').connect(10022, '127.0.0.1').once('data', (text) => process.exit(console.log(String(text))))";
    const node = ['exec', services.container('sensor'), '/pulse/node_modules/.bin/node', '-e', banner];
    assert.match(await eventually(() => engine.podman(node), { everyMs: 500 }), /^SSH-2\.0-/);
    assert.equal(await services.isHealthy('sensor'), true);
  });
});

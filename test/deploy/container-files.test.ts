/**
 * Content of the image of deploy/Containerfile is enough to serve: the same files in a folder of their own,
 * started by the same entry.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { before, describe, test } from 'node:test';
import { LARGE_BLOCK, NODE_FLAGS } from '../../scripts/runtime.mjs';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** [sources, target] of every COPY of the image itself, the last stage. */
const COPIES = read('deploy/Containerfile')
  .split(/^FROM /m)
  .at(-1)!
  .split('\n')
  .flatMap((line) => {
    const words = line.startsWith('COPY ')
      ? line.split(' ').filter((word) => word !== 'COPY' && !word.startsWith('--from='))
      : [];
    return words.length === 0 ? [] : [[words.slice(0, -1), words.at(-1)!] as const];
  });

/** Patterns of files that the stage of packages leaves out. */
const REMOVED = /^RUN rm -r (.*)$/m.exec(read('deploy/Containerfile'))![1]!.split(' ');

const image = testFolder('image');
const dataDir = testFolder('image-data');

/** Lays a folder of links to the files of another one: the packages weigh hundreds of megabytes. */
function linkTree(from: string, to: string, leaveOut: (name: string) => boolean): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (leaveOut(entry.name)) continue;
    if (entry.isDirectory()) linkTree(source, target, leaveOut);
    else linkFile(source, target);
  }
}

function linkFile(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch (error) {
    // The temporary folder may be on another disk.
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyFileSync(source, target);
  }
}

/** Files of `npm ci --omit=dev`, from the packages that are installed here. */
function layPackages(to: string): void {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  for (const [path, entry] of Object.entries(packages))
    if (path !== '' && entry.dev !== true && entry.devOptional !== true && existsSync(join(ROOT, path)))
      linkTree(join(ROOT, path), join(to, path.slice('node_modules/'.length)), (name) => name === 'node_modules');
  mkdirSync(join(to, '.bin'));
  symlinkSync(readlinkSync(join(ROOT, 'node_modules/.bin/node')), join(to, '.bin/node'));
}

function layImage(): void {
  for (const [sources, target] of COPIES)
    for (const source of sources) {
      const path = source.replace(/^\/pulse\//, '');
      const to = join(image, target.replace(/^\/pulse\/?/, ''), target.endsWith('/') ? basename(path) : '');
      mkdirSync(dirname(to), { recursive: true });
      if (path === 'node_modules') layPackages(to);
      else if (statSync(join(ROOT, path)).isDirectory())
        linkTree(join(ROOT, path), to, (name) => name.endsWith('.test.ts'));
      else linkFile(join(ROOT, path), to);
    }
  for (const path of globSync(REMOVED, { cwd: image })) rmSync(join(image, path), { recursive: true });
}

/** Starts the image's own entry with an environment that has nothing of this process's. */
const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawn(join(image, 'deploy/with-secrets.sh'), args, {
    cwd: image,
    env: { PATH: '/usr/bin:/bin', PULSE_DATA_DIR: dataDir, PULSE_FEEDS: 'off', ...env },
  });

/** Runs a command of the image. @returns [exit status, standard output] */
async function run(
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<readonly [number, string]> {
  const child = start(args, env);
  const [written, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return [status as number, written];
}

describe('the files of the image', () => {
  before(layImage);

  test('hold no tests, no development packages and nothing of the checkout but the files of the service', () => {
    assert.deepEqual(
      readdirSync(image).toSorted(),
      'LICENSE NOTICE console data deploy node_modules package.json src'.split(' '),
    );
    assert.deepEqual(readdirSync(join(image, 'deploy')), ['with-secrets.sh']);
    for (const name of ['typescript', 'vite', 'playwright-core', '@biomejs/biome'])
      assert.equal(existsSync(join(image, 'node_modules', name)), false, name);
  });

  test('are all that reaches a build: the list of ignored files lets through the files that the Containerfile copies', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const copied = [...read('deploy/Containerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources]) =>
      sources!.split(' '),
    );
    const unused = allowed.filter((path) => !copied.some((source) => source === path || source.startsWith(`${path}/`)));
    assert.deepEqual(unused, []);
    assert.deepEqual(
      copied.filter((source) => !allowed.some((path) => source === path || source.startsWith(`${path}/`))),
      [],
    );
  });

  test('have the shipped place and network data, which the service finds', async () => {
    const [status, listed] = await run(['data', 'list', '--json']);
    assert.equal(status, 0);
    const { layers } = JSON.parse(listed) as { layers: readonly { id: string; files: readonly string[] }[] };
    assert.ok(layers.some(({ id }) => id === 'dbip'));
    for (const file of layers.flatMap(({ files }) => files))
      assert.ok(file.startsWith(realpathSync(image)) && statSync(file).size > 0, file);
  });

  test('answer a lookup and the site, with a secret that comes as a file', async (t) => {
    writeSyntheticGeo(dataDir);
    const secrets = join(dataDir, 'credentials');
    mkdirSync(secrets);
    writeFileSync(join(secrets, 'PULSE_SECRET'), `${randomBytes(24).toString('hex')}\n`);
    const port = await freePort();
    const env = {
      CREDENTIALS_DIRECTORY: secrets,
      PULSE_PORT: String(port),
      PULSE_WORKERS: '1',
      PULSE_PHONE: 'off',
      PULSE_LOG: 'warn',
    };
    const server = start(['serve'], env);
    t.after(() => server.kill('SIGKILL'));
    let said = '';
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
    const base = `http://127.0.0.1:${port}`;
    const answers = async () => server.exitCode !== null || (await fetch(`${base}/readyz`)).status === 200;
    await eventually(answers, { withinMs: 120_000, everyMs: 200, hint: () => said });
    const verdict = (await (await fetch(`${base}/v1/ip/8.8.8.8`)).json()) as { ip: string; geo: { country: string } };
    assert.deepEqual([verdict.ip, verdict.geo.country], ['8.8.8.8', 'US']);
    assert.match(await (await fetch(`${base}/en`)).text(), /<!doctype html>/i);
    const words = readFileSync(`/proc/${server.pid}/cmdline`, 'utf8').split('\0');
    assert.deepEqual(words.slice(1, 1 + NODE_FLAGS.length), NODE_FLAGS, 'memory is bounded as by the starter');
    const environment = readFileSync(`/proc/${server.pid}/environ`, 'utf8').split('\0');
    assert.ok(environment.includes(`MALLOC_MMAP_THRESHOLD_=${LARGE_BLOCK}`));
    assert.equal(existsSync(join(dataDir, 'secret')), false, 'a secret of its own was made');
    server.kill('SIGTERM');
    assert.deepEqual(await once(server, 'exit'), [0, null], said);
  });

  test('do not start when a secret cannot be read', async () => {
    const secrets = mkdtempSync(join(dataDir, 'unreadable-'));
    mkdirSync(join(secrets, 'PULSE_SECRET'));
    assert.notEqual((await run(['account', 'list'], { CREDENTIALS_DIRECTORY: secrets }))[0], 0);
  });
});

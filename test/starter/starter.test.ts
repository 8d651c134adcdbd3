import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { COMMAND_FLAGS } from '../../scripts/runtime.mjs';
import { eventually } from '../support/eventually.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SUMS = readFileSync(join(ROOT, 'data/runtime.sha256'), 'utf8');
/** [digest, path] of every runtime package. */
const BINARIES = SUMS.split('\n').flatMap((line) =>
  line === '' || line.startsWith('#') ? [] : [line.split('  ') as [string, string]],
);
/** Path of this platform's pinned binary. */
const PINNED = BINARIES.map(([, path]) => path).find((path) => existsSync(join(ROOT, path)))!;

/**
 * The starter in a checkout of its own, in which `src/cli/main.ts` prints its arguments and npm is a script
 * of the test.
 */
interface Checkout {
  readonly folder: string;
  run(
    args: readonly string[],
    env?: Record<string, string>,
  ): { readonly status: number | null; readonly stdout: string; readonly stderr: string };
  start(args: readonly string[], env?: Record<string, string>): ChildProcess;
}

function checkoutFor(): Checkout {
  const folder = testFolder('starter');
  for (const part of [
    'bin',
    'data/runtime.sha256',
    'src/adapters/data-folder/compiled-code.mjs',
    ...['require-node', 'runtime', 'check-runtime', 'lock-install', 'npm-command', 'say'].map(
      (name) => `scripts/${name}.mjs`,
    ),
  ])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  mkdirSync(join(folder, 'src/cli'), { recursive: true });
  writeFileSync(
    join(folder, 'src/cli/main.ts'),
    "process.stdout.write([...(process.argv[2] === 'flags' ? process.execArgv : ['ran']), ...process.argv.slice(2)].join(' '));\n",
  );
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'package-lock.json'), '{"packages":{}}');
  const environment = (env: Record<string, string> = {}) => ({
    PATH: process.env['PATH'] ?? '',
    npm_execpath: join(folder, 'npm.mjs'),
    ...env,
  });
  const command = (args: readonly string[]) => [join(folder, 'bin/pulse.mjs'), ...args];
  return {
    folder,
    run: (args, env) => spawnSync(process.execPath, command(args), { encoding: 'utf8', env: environment(env) }),
    start: (args, env) =>
      spawn(process.execPath, command(args), { env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] }),
  };
}

const LAY =
  "mkdirSync('node_modules', { recursive: true }); writeFileSync('node_modules/.package-lock.json', '{\"packages\":{}}');";

/** `npm ci` in the checkout: notes that it ran, waits for the file `go` when it is told to, and lays node_modules. */
function layNpm({ folder }: Checkout, waits = false): void {
  const wait = waits ? "while (!existsSync('go')) await setTimeout(20);" : '';
  writeFileSync(
    join(folder, 'npm.mjs'),
    `import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
     import { setTimeout } from 'node:timers/promises';
     appendFileSync('npm-ran', process.argv.slice(2).join(' ') + '\\n');
     ${wait}
     ${LAY}`,
  );
}

/**
 * A pinned binary that notes that it ran and hands over to this process's Node, and its line of
 * data/runtime.sha256.
 */
function layRuntime({ folder }: Checkout): string {
  const binary = join(folder, PINNED);
  mkdirSync(dirname(binary), { recursive: true });
  writeFileSync(binary, `#!/bin/sh\necho ran >> ${join(folder, 'runtime-ran')}\nexec ${process.execPath} "$@"\n`);
  chmodSync(binary, 0o755);
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{"packages":{}}');
  const digest = createHash('sha256').update(readFileSync(binary)).digest('hex');
  writeFileSync(join(folder, 'data/runtime.sha256'), `# comment\n${digest}  ${PINNED}\n`);
  return binary;
}

const runsOf = (checkout: Checkout, name: string): number =>
  existsSync(join(checkout.folder, name))
    ? readFileSync(join(checkout.folder, name), 'utf8').trimEnd().split('\n').length
    : 0;

describe('the pinned runtime', () => {
  test('data/runtime.sha256 has one line for every runtime package, for the pinned version, and the installed binary has its digest', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    assert.deepEqual(
      BINARIES.map(([, path]) => path.split('/')[1]).toSorted(),
      Object.keys(optionalDependencies).toSorted(),
    );
    for (const version of Object.values(optionalDependencies))
      assert.ok(SUMS.startsWith(`# SHA-256 of the Node ${version} binaries`), version);
    const digest = createHash('sha256')
      .update(readFileSync(join(ROOT, PINNED)))
      .digest('hex');
    assert.deepEqual(BINARIES.find(([, path]) => path === PINNED)?.[0], digest);
  });

  test('a binary with another digest is not started, and the message has both digests', () => {
    const checkout = checkoutFor();
    const binary = layRuntime(checkout);
    writeFileSync(join(checkout.folder, 'data/runtime.sha256'), SUMS);
    const { status, stderr } = checkout.run(['lookup']);
    assert.equal(status, 1, stderr);
    const digest = createHash('sha256').update(readFileSync(binary)).digest('hex');
    assert.match(stderr, new RegExp(`SHA-256 of node_modules/.*${digest}.*nothing was started`));
    assert.equal(runsOf(checkout, 'runtime-ran'), 0);
  });

  test('a binary with the right digest is started, and refused once it has changed', () => {
    const checkout = checkoutFor();
    const binary = layRuntime(checkout);
    for (const turn of [1, 2]) {
      assert.equal(checkout.run(['serve', '--demo']).stdout, 'ran serve --demo');
      assert.equal(runsOf(checkout, 'runtime-ran'), turn);
    }
    assert.equal(checkout.run(['flags']).stdout, [...COMMAND_FLAGS, 'flags'].join(' '), 'threads keep little garbage');
    appendFileSync(binary, '# other content\n');
    assert.equal(checkout.run(['serve']).status, 1);
    assert.equal(runsOf(checkout, 'runtime-ran'), 3);
  });

  test('serve is refused on any other Node, unless PULSE_NODE names it', () => {
    const checkout = checkoutFor();
    layNpm(checkout);
    const refused = checkout.run(['serve']);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /pinned Node .* is not installed: set PULSE_NODE/);
    assert.equal(checkout.run(['lookup', 'serve']).stdout, 'ran lookup serve');
    assert.equal(checkout.run(['serve'], { PULSE_NODE: process.execPath }).stdout, 'ran serve');
  });

  test('a Node that is too old is named, by the starter and by npm start and npm test; so is one without a runtime to hand over to', () => {
    const checkout = checkoutFor();
    for (const name of ['start', 'test'])
      cpSync(join(ROOT, `scripts/${name}.mjs`), join(checkout.folder, `scripts/${name}.mjs`));
    layNpm(checkout);
    const as = (version: string): string[] => [
      '--import',
      `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`,
    ];
    for (const script of ['bin/pulse.mjs', 'scripts/start.mjs', 'scripts/test.mjs']) {
      const { status, stderr } = spawnSync(
        process.execPath,
        [...as('14.21.3'), join(checkout.folder, script), 'lookup'],
        { encoding: 'utf8', env: {} },
      );
      assert.deepEqual(
        [status, /^pulse: this is Node 14\.21\.3, and Node 20 or newer is needed/.test(stderr)],
        [1, true],
        stderr,
      );
    }
    const env = { npm_execpath: join(checkout.folder, 'npm.mjs') };
    const { status, stderr } = spawnSync(
      process.execPath,
      [...as('22.1.0'), join(checkout.folder, 'bin/pulse.mjs'), 'lookup'],
      { encoding: 'utf8', env },
    );
    assert.deepEqual(
      [status, /pinned Node .* is not installed, and this Node is 22\.1\.0/.test(stderr)],
      [1, true],
      stderr,
    );
  });

  test('PULSE_NODE is refused where it is not a Node that can run the code', () => {
    const checkout = checkoutFor();
    layNpm(checkout);
    const old = join(checkout.folder, 'old-node');
    writeFileSync(old, '#!/bin/sh\necho 20.19.0\n', { mode: 0o755 });
    for (const [file, message] of [
      [old, /Node 20\.19\.0: Node 24 or newer is needed/],
      ['/nowhere/node', /not a Node that runs here/],
      ['/bin/true', /not a Node that runs here/],
    ] as const) {
      const { status, stderr } = checkout.run(['serve'], { PULSE_NODE: file });
      assert.equal(status, 1);
      assert.match(stderr, message);
    }
  });

  test('sentences are Chinese on a Chinese terminal and with --lang zh, and each has its Chinese', () => {
    const checkout = checkoutFor();
    layNpm(checkout);
    const refusal = (args: readonly string[], env: Record<string, string> = {}) =>
      checkout.run(args, { PULSE_NODE: '/nowhere/node', ...env }).stderr;
    const chinese = 'pulse: PULSE_NODE 指向 /nowhere/node，它不是可在本机运行的 Node\n';
    assert.equal(refusal(['serve'], { LANG: 'zh_CN.UTF-8' }), `pulse: 正在安装依赖（最多一分钟，仅首次）\n${chinese}`);
    assert.equal(refusal(['serve', '--lang', 'zh'], { LANG: 'en_GB.UTF-8' }), chinese);
    assert.match(refusal(['serve', '--lang=en'], { LANG: 'zh_CN.UTF-8' }), /PULSE_NODE names/);
    const textOf = (name: string): string => readFileSync(join(ROOT, 'scripts', name), 'utf8');
    const table = textOf('say.mjs');
    const said = globSync('*.mjs', { cwd: join(ROOT, 'scripts') }).flatMap((name) =>
      [...textOf(name).matchAll(/\bsay\(\s*'([^']+)'/g)].map(([, text]) => text!),
    );
    assert.ok(said.length >= 15);
    for (const text of said) assert.match(table, new RegExp(`${RegExp.escape(text)}'?:\\s+'.*[\u4e00-\u9fff]`), text);
  });
});

describe('the installation', () => {
  test('with PULSE_NO_INSTALL nothing is installed, and the message names the command', () => {
    const checkout = checkoutFor();
    layNpm(checkout);
    const { status, stderr } = checkout.run(['lookup'], { PULSE_NO_INSTALL: '1' });
    assert.equal(status, 1);
    assert.match(stderr, /PULSE_NO_INSTALL is set: run npm ci --omit=dev/);
    assert.equal(runsOf(checkout, 'npm-ran'), 0);
    assert.equal(checkout.run(['lookup'], { PULSE_NO_INSTALL: '' }).stdout, 'ran lookup');
    assert.equal(runsOf(checkout, 'npm-ran'), 1);
  });

  test('node_modules without development packages is enough for a command when only the time of the lockfile differs', () => {
    const checkout = checkoutFor();
    layRuntime(checkout);
    const laid = { packages: { '': {}, 'node_modules/a': { version: '1.0.0' } } };
    writeFileSync(join(checkout.folder, 'node_modules/.package-lock.json'), JSON.stringify(laid));
    const named = { packages: { ...laid.packages, 'node_modules/b': { version: '1.0.0', dev: true } } };
    writeFileSync(join(checkout.folder, 'package-lock.json'), JSON.stringify(named));
    assert.equal(checkout.run(['lookup'], { PULSE_NO_INSTALL: '1' }).stdout, 'ran lookup');
    writeFileSync(
      join(checkout.folder, 'package-lock.json'),
      JSON.stringify(named).replace('"version":"1.0.0"}', '"version":"1.0.1"}'),
    );
    assert.equal(checkout.run(['lookup'], { PULSE_NO_INSTALL: '1' }).status, 1);
  });

  test('a command installs production packages and keeps of them the parts that are read', () => {
    const checkout = checkoutFor();
    const { folder } = checkout;
    layRuntime(checkout);
    rmSync(join(folder, 'node_modules/.package-lock.json'));
    const headers = join(folder, dirname(dirname(PINNED)), 'include/node/node.h');
    mkdirSync(dirname(headers), { recursive: true });
    writeFileSync(headers, '');
    layNpm(checkout);
    assert.equal(checkout.run(['lookup']).stdout, 'ran lookup');
    assert.match(readFileSync(join(folder, 'npm-ran'), 'utf8'), /^ci --omit=dev /);
    assert.deepEqual([existsSync(dirname(headers)), existsSync(join(folder, PINNED))], [false, true]);
  });

  test('npm start serves with production packages; meanwhile the others are added and the site is built', async () => {
    const checkout = checkoutFor();
    const { folder } = checkout;
    for (const name of ['start', 'build-console'])
      cpSync(join(ROOT, `scripts/${name}.mjs`), join(folder, `scripts/${name}.mjs`));
    for (const name of [
      'console',
      'data',
      'docs',
      'src/contract',
      'src/core',
      'src/apps/http/openapi',
      'node_modules/vite/bin',
    ])
      mkdirSync(join(folder, name), { recursive: true });
    for (const name of ['NOTICE', 'data/feeds.json']) writeFileSync(join(folder, name), '');
    writeFileSync(join(folder, 'console/index.html'), 'a site');
    writeFileSync(
      join(folder, 'node_modules/vite/bin/vite.js'),
      "import { cpSync } from 'node:fs'; cpSync('console/index.html', process.argv[5] + '/index.html');",
    );
    const lock = { packages: { '': {}, 'node_modules/vite': { version: '1.0.0', dev: true } } };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    layRuntime(checkout);
    layNpm(checkout, true);
    appendFileSync(join(folder, 'src/cli/main.ts'), 'setInterval(() => {}, 1000);\n');
    const starting = spawn(process.execPath, [join(folder, 'scripts/start.mjs')], {
      env: { PATH: process.env['PATH'] ?? '', npm_execpath: join(folder, 'npm.mjs') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [starting.stdout, starting.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
    await eventually(() => said.includes('ran serve') && runsOf(checkout, 'npm-ran') === 1, { hint: () => said });
    assert.match(readFileSync(join(folder, 'npm-ran'), 'utf8'), /^install (?!.*omit)/);
    const built = join(folder, 'console/dist/index.html');
    assert.equal(existsSync(built), false);
    writeFileSync(join(folder, 'go'), '');
    await eventually(() => existsSync(built) && said.includes('the site is built'), { hint: () => said });
    starting.kill();
    assert.deepEqual(await once(starting, 'exit'), [143, null]);
  });

  test('of two commands at once one installs, and the other waits and says for whom', async () => {
    const checkout = checkoutFor();
    layNpm(checkout, true);
    const first = checkout.start(['lookup']);
    await eventually(() => runsOf(checkout, 'npm-ran') === 1, { hint: () => 'the first command did not install' });
    const second = checkout.start(['lookup']);
    let said = '';
    second.stderr!.on('data', (chunk) => (said += String(chunk)));
    await eventually(() => said.includes(`waiting for process ${first.pid}`), { hint: () => said });
    writeFileSync(join(checkout.folder, 'go'), '');
    assert.deepEqual(await Promise.all([once(first, 'exit'), once(second, 'exit')]), [
      [0, null],
      [0, null],
    ]);
    assert.equal(runsOf(checkout, 'npm-ran'), 1);
    assert.equal(existsSync(join(checkout.folder, '.pulse-installing')), false);
  });

  test('a lock of a process that has ended is taken over; one of a process that may not be signalled is not', async () => {
    const checkout = checkoutFor();
    layNpm(checkout);
    const lock = join(checkout.folder, '.pulse-installing');
    const { pid: ended } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(lock, String(ended));
    assert.equal(checkout.run(['lookup']).stdout, 'ran lookup');
    rmSync(join(checkout.folder, 'node_modules'), { recursive: true });
    writeFileSync(lock, '1');
    const forbidden =
      "data:text/javascript,process.kill=()=>{throw Object.assign(new Error('kill EPERM'),{code:'EPERM'})}";
    const waiting = checkout.start(['lookup'], { NODE_OPTIONS: `--import="${forbidden}"` });
    let said = '';
    waiting.stderr!.on('data', (chunk) => (said += String(chunk)));
    await eventually(() => said.includes('waiting for process 1'), { hint: () => said });
    assert.equal(runsOf(checkout, 'npm-ran'), 1);
    rmSync(lock);
    await once(waiting, 'exit');
    assert.equal(runsOf(checkout, 'npm-ran'), 2);
  });
});

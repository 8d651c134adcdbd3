/** The packed TypeScript client in small projects, each with its own compiler options, runner or bundler. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { packClient } from '../support/packed-client.ts';

const TOOLS = join(import.meta.dirname, 'node_modules');
const packed = packClient();
after(() => packed.dispose());

function run(folder: string, ...command: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, `${command.join(' ')}\n${stdout}${stderr}`);
  return stdout + stderr;
}

/** A project with the client installed, and its files by name. */
function project(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(packed.folder, name);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(join(packed.folder, 'node_modules/pulse-client'), join(folder, 'node_modules/pulse-client'));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

const USE = `import { decide, Pulse, PulseError, type IPRisk } from 'pulse-client';
import { pulseGuard } from 'pulse-client/express';
const pulse: Pulse = new Pulse({ baseUrl: 'https://pulse.test' });
export const judge = async (ip: string): Promise<string> => {
  const verdict: IPRisk = await pulse.ip(ip);
  return decide(verdict).action;
};
console.log(typeof pulse.batch, typeof decide, typeof pulseGuard, new PulseError('timeout', 'x') instanceof Error);
`;
const WORKS = 'function function function true';

for (const [name, type, options] of [
  ['node10', 'commonjs', ['--module', 'commonjs', '--moduleResolution', 'node10']],
  ['node16 as CommonJS', 'commonjs', ['--module', 'node16']],
  ['node16 as ESM', 'module', ['--module', 'node16']],
  ['nodenext', 'module', ['--module', 'nodenext']],
  ['bundler', 'module', ['--module', 'esnext', '--moduleResolution', 'bundler']],
] as const)
  test(`TypeScript 5 with ${name} compiles strictly and runs`, () => {
    const folder = project(name, { 'package.json': JSON.stringify({ type }), 'use.ts': USE });
    const strict = ['--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--lib', 'es2022,dom'];
    run(folder, join(TOOLS, 'typescript/bin/tsc'), ...options, ...strict, '--outDir', 'out', 'use.ts');
    assert.equal(run(folder, 'out/use.js').trim(), WORKS);
  });

test('the code of the skill for login routes compiles strictly, and watches without stopping anybody', () => {
  const skill = readFileSync(join(import.meta.dirname, '../../clients/skills/pulse-login/SKILL.md'), 'utf8');
  assert.match(skill, /^---\nname: pulse-login\ndescription: [^\n]{1,1024}\n---\n/);
  const [, code] = /```ts\n([\s\S]*?)```/.exec(skill)!;
  const folder = project('skill', {
    'package.json': JSON.stringify({ type: 'module' }),
    'env.d.ts': 'declare const process: { env: Record<string, string | undefined> };',
    'login.ts': `${code}\nconsole.log(await loginRisk('192.0.2.5'));\n`,
  });
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--target', 'es2022'];
  run(
    folder,
    join(TOOLS, 'typescript/bin/tsc'),
    '--module',
    'nodenext',
    '--lib',
    'es2022,dom',
    ...strict,
    'env.d.ts',
    'login.ts',
  );
  process.env['PULSE_URL'] = 'http://127.0.0.1:1';
  const [line, answer] = run(folder, 'login.js').trim().split('\n');
  const { event, ip, action, without } = JSON.parse(line!);
  assert.deepEqual([event, ip, action, without, answer], ['login_risk', '192.0.2.5', 'unknown', 'fault', 'go_on']);
});

test('Jest requires it in a CommonJS project', () => {
  const folder = project('jest', {
    'package.json': JSON.stringify({ jest: { testEnvironment: 'node' } }),
    'use.test.js': `const { Pulse } = require('pulse-client');
const { pulseGuard } = require('pulse-client/express');
test('loads', () => { expect(typeof new Pulse({ baseUrl: 'https://pulse.test' }).ip).toBe('function'); expect(typeof pulseGuard).toBe('function'); });
`,
  });
  assert.match(run(folder, join(TOOLS, 'jest/bin/jest.js'), '--rootDir', folder), /1 passed/);
});

for (const format of ['cjs', 'esm'])
  test(`esbuild bundles it as ${format}`, () => {
    const folder = project(`esbuild-${format}`, { 'package.json': '{}', 'use.ts': USE });
    const out = format === 'esm' ? 'use.mjs' : 'use.cjs';
    const flags = [
      '--bundle',
      `--format=${format}`,
      '--platform=neutral',
      '--main-fields=module,main',
      `--outfile=${out}`,
    ];
    run(folder, join(TOOLS, 'esbuild/bin/esbuild'), 'use.ts', ...flags);
    assert.equal(run(folder, out).trim(), WORKS);
  });

test('Vite bundles it for browsers', () => {
  const folder = project('vite', {
    'package.json': '{"type":"module"}',
    'use.js': USE.replace(', type IPRisk', '').replace(/: (?:Pulse|IPRisk|string|Promise<string>)(?= ?[=)])/g, ''),
  });
  const vite = join(import.meta.dirname, '../../node_modules/vite/bin/vite.js');
  writeFileSync(
    join(folder, 'vite.config.js'),
    `export default { build: { lib: { entry: 'use.js', formats: ['es'], fileName: 'bundle' } } };`,
  );
  run(folder, vite, 'build');
  assert.equal(run(folder, 'dist/bundle.js').trim(), WORKS);
});

// `npm run pack -- sensor [FOLDER]`: the sensor alone (pack-sensor.mjs).
// `npm run pack [FOLDER]`: the service with its built site as pulse-VERSION.tgz in FOLDER (here). Unpacked, `npm start` installs production packages and serves.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import './require-node.mjs';

const { root, runStep } = await import('./runtime.mjs');
const PARTS = [
  ...['.npmrc', 'CHANGELOG.md', 'LICENSE', 'NOTICE', 'README.md', 'SECURITY.md', 'package-lock.json', 'package.json'],
  ...['bin', 'data', 'deploy', 'docs', 'src', join('console', 'dist')],
  ...['check-runtime', 'lock-install', 'npm-command', 'require-node', 'runtime', 'say', 'start'].map((name) =>
    join('scripts', `${name}.mjs`),
  ),
];

if (process.argv[2] === 'sensor') {
  const { packSensor } = await import('./pack-sensor.mjs');
  process.stdout.write(`${await packSensor(process.argv[3] ?? '.')}\n`);
  process.exit();
}

const built = await runStep(process.execPath, [join(root, 'scripts', 'build-console.mjs')], { stdio: [0, 2, 2] });
if (built !== 0) process.exit(built);
const name = `pulse-${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}`;
const file = resolve(process.argv[2] ?? '.', `${name}.tgz`);
const folder = mkdtempSync(join(tmpdir(), 'pulse-pack-'));
try {
  const isTest = (path) => /\.(test|contract)\.ts$/.test(path);
  for (const part of PARTS)
    cpSync(join(root, part), join(folder, name, part), { recursive: true, filter: (path) => !isTest(path) });
  const { status } = spawnSync('tar', ['-czf', file, '-C', folder, name], { stdio: [0, 2, 2] });
  if (status !== 0) process.exit(1);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${file}\n`);

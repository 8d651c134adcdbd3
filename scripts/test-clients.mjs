// `npm run test:clients`: installs the tools of test/installed at their pinned versions and tries the packed client and the endpoints with them.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureInstalled, root, runtime } from './runtime.mjs';

await ensureInstalled({ forDevelopment: true });
const node = runtime();
const folder = join(root, 'test/installed');
const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}`, NODE_ENV: 'test' };
const run = (command, args, cwd) => {
  const { status } = spawnSync(command, args, { cwd, env, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};
run('npm', ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'], folder);
run(node, ['--test', '--test-concurrency=1', ...globSync('*.installed.ts', { cwd: folder })], folder);

// `npm start`: install missing packages, then serve; meanwhile the site is built when its sources changed. Runs on Node 20; the service runs on the pinned one.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import './require-node.mjs';

const { compiledCode } = await import('../src/adapters/data-folder/compiled-code.mjs');
const { say } = await import('./say.mjs');
const { ensureInstalled, root, runInstead, runtime, NODE_FLAGS } = await import('./runtime.mjs');
await ensureInstalled();
const node = runtime({ serving: true });
buildSite();
await runInstead(node, [...NODE_FLAGS, join(root, 'src', 'cli', 'main.ts'), 'serve', ...process.argv.slice(2)], {
  cwd: root,
  env: compiledCode(root),
});

/** Starts the build with its packages, behind everything else the machine has to do. The service runs with or without it, and shows the site once it is there. */
function buildSite() {
  const script = join(root, 'scripts', 'build-console.mjs');
  if (!existsSync(script)) return;
  const build = spawn(process.execPath, [script], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    setPriority(build.pid, 10);
  } catch {
    // Some systems forbid it, and a build that has ended has no priority: it only counts for how soon the service answers.
  }
  build.on(
    'exit',
    (status) => status && process.stderr.write(`pulse: ${say('the site was not built; the API serves')}\n`),
  );
  process.on('exit', () => build.kill());
}

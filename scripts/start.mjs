// `npm start`: install missing packages, build the site when its sources changed, then serve. Runs on Node 20; the service runs on the pinned one.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import './require-node.mjs';

const { ensureInstalled, root, runInstead, runStep, runtime, NODE_FLAGS } = await import('./runtime.mjs');
await ensureInstalled({ forDevelopment: true });
const node = runtime({ serving: true });
if (existsSync(join(root, 'scripts', 'build-console.mjs'))) {
  const status = await runStep(node, [join(root, 'scripts', 'build-console.mjs')], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status);
}
await runInstead(node, [...NODE_FLAGS, join(root, 'src', 'cli', 'main.ts'), 'serve', ...process.argv.slice(2)], {
  cwd: root,
});

// Builds the site when its sources or its tools changed since the last build, with the packages that this needs; otherwise ends at once.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ensureInstalled, root, runStep, runtime } from './runtime.mjs';
import { say } from './say.mjs';

const sources = [
  'package-lock.json',
  ...readdirSync(join(root, 'console'), { recursive: true }).map((name) => join('console', name)),
  'NOTICE',
  'data/feeds.json',
  // The manual's pages that the site shows.
  ...readdirSync(join(root, 'docs'), { recursive: true }).map((name) => join('docs', name)),
  // The page runs the service's own scoring, so that the two cannot disagree.
  ...['contract', 'core', join('apps', 'http', 'openapi')].flatMap((ring) =>
    readdirSync(join(root, 'src', ring), { recursive: true }).map((name) => join('src', ring, name)),
  ),
]
  .filter(
    (path) =>
      /(\.(tsx?|js|json|css|html|svg|md)|^NOTICE)$/.test(path) &&
      !/\.test\.tsx?$/.test(path) &&
      !path.includes(`${join('console', 'dist')}`),
  )
  .sort();
const hash = createHash('sha256');
for (const path of sources) hash.update(path).update(readFileSync(join(root, path)));
const fingerprint = hash.digest('hex');

const dist = join(root, 'console', 'dist');
const stamp = join(dist, '.built-from');
if (
  !existsSync(join(root, 'console', 'index.html')) ||
  (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint)
)
  process.exit(0);

// A service that runs meanwhile says that the site is being built, rather than show an older one.
rmSync(dist, { recursive: true, force: true });
await ensureInstalled({ forDevelopment: true });
process.stderr.write(`pulse: ${say('building the site')}\n`);
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
// Built in a folder of its own and renamed when complete: a service that starts meanwhile, or a second build, never sees half a site.
const made = `${dist}-${process.pid}`;
const status = await runStep(
  runtime(),
  [vite, 'build', 'console', '--outDir', made, '--emptyOutDir', '--logLevel', 'warn'],
  {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // The caller's NODE_ENV does not count (tests set "test"): anything but production bundles React's development half, which runs every effect twice.
    env: { ...process.env, NODE_ENV: 'production' },
  },
);
if (status !== 0) {
  rmSync(made, { recursive: true, force: true });
  process.exit(status);
}
for (const name of readdirSync(made, { recursive: true })) {
  if (!/\.(js|css|svg)$/.test(name)) continue;
  const file = join(made, name);
  const bytes = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(bytes));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
writeFileSync(join(made, '.built-from'), fingerprint);
rmSync(dist, { recursive: true, force: true });
renameSync(made, dist);
process.stderr.write(`pulse: ${say('the site is built')}\n`);

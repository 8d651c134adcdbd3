/**
 * From the start of the process to the first look-up answered, in milliseconds: the first start of all, which builds place and network data and opens with
 * empty caches, and starts after it. Process of its own each time, nothing pinned.
 *
 *   node bench/start.ts [--starts 5]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort, median, ROOT, residentMiB, scratch, stopAll } from './peers/http-load.ts';
import { table } from './peers/measure.ts';

const { values } = parseArgs({ options: { starts: { type: 'string', default: '5' } } });
const dataDir = join(scratch, 'data');

/** @returns milliseconds as seen from outside, and resident MiB after the first answer */
async function startOnce(): Promise<{ readonly ms: number; readonly rss: number }> {
  const port = await freePort();
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PULSE_DATA_DIR: dataDir,
    PULSE_PORT: String(port),
    PULSE_FEEDS: 'off',
    PULSE_LOG: 'error',
    GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
  };
  const begun = performance.now();
  const child = spawn(process.execPath, [join(ROOT, 'src/apps/cli/main.ts'), 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${port}/v1/ip/114.114.114.114`).catch(() => undefined);
      if (response?.status === 200) break;
      if (performance.now() - begun > 180_000) throw new Error(`no answer after three minutes (last: ${response?.status})`);
      await new Promise((done) => setTimeout(done, 5));
    }
    return { ms: performance.now() - begun, rss: residentMiB(child.pid!) };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

try {
  const first = await startOnce();
  const later: { readonly ms: number; readonly rss: number }[] = [];
  for (let i = 0; i < Number(values.starts); i++) later.push(await startOnce());
  table(
    ['start to first answer', 'ms', 'RSS MiB'],
    [
      ['first (builds the data)', String(Math.round(first.ms)), String(first.rss)],
      [`later, median of ${later.length}`, String(Math.round(median(later.map(({ ms }) => ms)))), String(median(later.map(({ rss }) => rss)))],
    ],
  );
} finally {
  await stopAll();
}

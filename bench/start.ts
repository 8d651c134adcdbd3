/**
 * From the start of the process to the first lookup answered, in milliseconds: the first start of all, which
 * builds place and network data and opens with empty caches, and starts after it. Process of its own each
 * time, nothing pinned.
 *
 *   node bench/start.ts [--starts 5]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { NODE_FLAGS } from '../scripts/runtime.mjs';
import { freePort, ROOT, residentMiB, scratch, stopAll } from './peers/http-load.ts';
import { median, table } from './peers/measure.ts';

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
    PULSE_LOG: 'info',
  };
  const begun = performance.now();
  const child = spawn(process.execPath, [...NODE_FLAGS, join(ROOT, 'src/cli/main.ts'), 'serve'], {
    env,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const ended = once(child, 'exit');
  try {
    await ready(child.stderr);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/ip/114.114.114.114`);
    if (answer.status !== 200) throw new Error(`ready, but a lookup answered ${answer.status}`);
    return { ms: performance.now() - begun, rss: residentMiB(child.pid!) };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/**
 * Until the service says that it is ready: lookups asked before would count in the caller's minute, and other
 * paths would load modules that a start puts off.
 */
function ready(said: Readable): Promise<void> {
  return new Promise((done, failed) => {
    const late = setTimeout(() => failed(new Error('not ready after three minutes')), 180_000);
    let text = '';
    said.on('data', (piece: Buffer) => {
      text += piece.toString();
      if (!text.includes('ready on ')) return;
      clearTimeout(late);
      done();
    });
    said.on('end', () => failed(new Error('ended before it was ready')));
  });
}

try {
  const first = await startOnce();
  const later: { readonly ms: number; readonly rss: number }[] = [];
  for (let i = 0; i < Number(values.starts); i++) later.push(await startOnce());
  table(
    ['start to first answer', 'ms', 'RSS MiB'],
    [
      ['first (builds the data)', String(Math.round(first.ms)), String(first.rss)],
      [
        `later, median of ${later.length}`,
        String(Math.round(median(later.map(({ ms }) => ms)))),
        String(median(later.map(({ rss }) => rss))),
      ],
    ],
  );
} finally {
  await stopAll();
}

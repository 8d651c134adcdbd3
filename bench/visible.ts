/**
 * From the moment a batch is accepted (its transaction is over) until every HTTP thread answers with it, by
 * the size of the batch, over a store with millions of addresses; and the slowest answer meanwhile. Batches
 * are written by this process, as `pulse evidence import` and a feed are by others.
 *
 *   node bench/visible.ts [--rows 3000000] [--batches 1,1000,30000,200000,1000000] [--rounds 3] [--log]
 */
import { mkdtempSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SqliteHistory } from '../src/adapters/history/sqlite/history.ts';
import { CaptureBatchBuilder } from '../src/core/evidence/capture-batch-builder.ts';
import type { CaptureBatch, EvidenceSource } from '../src/core/evidence/observation.ts';
import { unixMs } from '../src/core/units.ts';
import { serveProcess } from '../test/support/serve-process.ts';
import { writeSyntheticGeo } from '../test/support/synthetic-geo.ts';
import { table } from './peers/measure.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '3000000' },
    batches: { type: 'string', default: '1,1000,30000,200000,1000000' },
    rounds: { type: 'string', default: '3' },
    log: { type: 'boolean', default: false },
  },
});
const ROWS = Number(values.rows);
const ROUNDS = Number(values.rounds);
const THREADS = 2;
const EVENTS: EvidenceSource = { id: 'trap', family: 'trap', mode: 'events', riskType: 'honeypot_scan' };
const LISTING: EvidenceSource = { id: 'list', family: 'list', mode: 'listing', riskType: 'proxy' };

/** Addresses of 11.0.0.0 to 94.255.255.255 in an order without pattern, each once. */
const SPACE = 84 * 2 ** 24;
const wordOf = (n: number): number => ((n * 48_271) % SPACE) + 11 * 2 ** 24;
const textOf = (word: number): string => [24, 16, 8, 0].map((shift) => (word >>> shift) & 255).join('.');

function entries(from: number, count: number): CaptureBatch {
  const builder = new CaptureBatchBuilder(count);
  for (let n = from; n < from + count; n++) builder.addIpv4(wordOf(n), 32);
  return builder.build();
}

interface Answer {
  readonly thread: string;
  readonly active: boolean;
  readonly ms: number;
}

/** One request over a connection of its own, so that the kernel chooses a thread each time. */
function ask(base: string, ip: string): Promise<Answer> {
  const since = performance.now();
  return new Promise((done, failed) => {
    request(`${base}/v1/ip/${ip}`, { agent: false, headers: { Connection: 'close' } }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += String(part);
      });
      response.on('end', () => {
        const thread = String(response.headers['x-request-id']).split('-')[0]!;
        done({ thread, active: text.includes('"evidence_state":"active"'), ms: performance.now() - since });
      });
    })
      .on('error', failed)
      .end();
  });
}

/** @returns milliseconds until each thread has answered `active`, and the slowest answer on the way */
async function untilSeen(base: string, ip: string): Promise<{ readonly ms: number; readonly slowest: number }> {
  const since = performance.now();
  const seen = new Set<string>();
  let slowest = 0;
  while (seen.size < THREADS) {
    const { thread, active, ms } = await ask(base, ip);
    if (active) seen.add(thread);
    slowest = Math.max(slowest, ms);
    await new Promise((done) => setTimeout(done, 10));
    if (performance.now() - since > 120_000) throw new Error(`${ip} was not seen within two minutes`);
  }
  return { ms: performance.now() - since, slowest };
}

const dataDir = mkdtempSync(join(tmpdir(), 'pulse-bench-visible-'));
writeSyntheticGeo(dataDir);
const store = new SqliteHistory(join(dataDir, 'evidence.db'));
let next = 0;
const now = () => unixMs(Date.now());
for (; next < ROWS; next += 1_000_000)
  store.recordCaptures(EVENTS, unixMs(now() - 1000), entries(next, Math.min(1_000_000, ROWS - next)), now());
next = ROWS;

const server = await serveProcess({
  dataDir,
  env: {
    PULSE_WORKERS: '2',
    PULSE_ANON_PER_MIN: '100000000',
    PULSE_ANON_PER_DAY: '100000000',
    PULSE_LOG: values.log ? 'info' : 'warn',
  },
  waitMs: 300_000,
});
const lines: string[][] = [];
try {
  await untilSeen(server.base, textOf(wordOf(0)));
  const measure = async (
    what: string,
    count: number,
    rounds: number,
    write: (count: number) => string,
  ): Promise<void> => {
    const took: { ms: number; slowest: number; write: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const since = performance.now();
      const ip = write(count);
      const written = performance.now() - since;
      took.push({ ...(await untilSeen(server.base, ip)), write: written });
      await new Promise((done) => setTimeout(done, 1000));
    }
    const sorted = took.map(({ ms }) => ms).sort((a, b) => a - b);
    const slowest = Math.max(...took.map(({ slowest }) => slowest));
    const figures = [
      took.reduce((sum, { write }) => sum + write, 0) / rounds,
      sorted[rounds >> 1]!,
      sorted[rounds - 1]!,
      slowest,
    ];
    lines.push([what, count.toLocaleString('en'), ...figures.map((ms) => `${ms.toFixed(0)} ms`)]);
  };
  const captures = (count: number): string => {
    store.recordCaptures(EVENTS, now(), entries(next, count), now());
    next += count;
    return textOf(wordOf(next - 1));
  };
  /** A tenth of the run before is gone, as many are new. */
  const run = (count: number): string => {
    next += count / 10;
    store.recordRun(LISTING, now(), entries(next, count), now());
    return textOf(wordOf(next + count - 1));
  };
  const sizes = values.batches.split(',').map(Number);
  for (const count of sizes) await measure('captures', count, ROUNDS, captures);
  await measure('first run of a listing', sizes.at(-1)!, 1, run);
  await measure('the next, a tenth of it other entries', sizes.at(-1)!, ROUNDS, run);
} finally {
  store.close();
  if (values.log) process.stderr.write(server.output());
  await server.dispose();
}
process.stdout.write(`${ROWS.toLocaleString('en')} addresses in the store, ${THREADS} threads, ${ROUNDS} rounds\n\n`);
table(['what', 'rows', 'written in', 'then seen after, median', 'worst', 'slowest answer meanwhile'], lines);

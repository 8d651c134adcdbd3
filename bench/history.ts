/**
 * The two evidence stores side by side, over the same captures: SQLite in a folder and PostgreSQL on this
 * machine (fsync off, so read the ratios of work, not of disks). Prints milliseconds a step and bytes a row.
 *
 *   node bench/history.ts [--rows 250000]
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PostgresHistory } from '../src/adapters/history/postgres/history.ts';
import { SqliteHistory } from '../src/adapters/history/sqlite/history.ts';
import { CaptureBatchBuilder } from '../src/core/evidence/capture-batch-builder.ts';
import type { CaptureBatch, EvidenceSource } from '../src/core/evidence/observation.ts';
import { HOUR_MS, unixMs } from '../src/core/units.ts';
import { openEvidence } from '../src/engine/evidence/evidence-image.ts';
import { compileEvidence, mergeEvidenceSince } from '../src/service/compile/compile-evidence.ts';
import type { HistoryStore } from '../src/service/ports.ts';
import { FIXED_SEED } from '../test/support/fixed-seed.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { table } from './peers/measure.ts';
import { postgresEvidenceBytes } from './peers/postgres-evidence-bytes.ts';

const rows = Number(parseArgs({ options: { rows: { type: 'string', default: '250000' } } }).values.rows);
const LOOKUPS = 1000;
const MERGED = 200_000;
const AT_ONCE = 8;
const T0 = Date.UTC(2026, 5, 1);
const at = (hours: number) => unixMs(T0 + hours * HOUR_MS);
const LISTING: EvidenceSource = { id: 'list', family: 'list', mode: 'listing', riskType: 'proxy' };
const EVENTS: EvidenceSource = { id: 'trap', family: 'trap', mode: 'events', riskType: 'honeypot_scan' };

const wordOf = (n: number): number => Math.imul(n, 2654435761) >>> 0;
function entries(from: number, count: number): CaptureBatch {
  const builder = new CaptureBatchBuilder(count);
  for (let n = from; n < from + count; n++) builder.addIpv4(wordOf(n), 32);
  return builder.build();
}

type Steps = readonly (readonly [title: string, work: (store: HistoryStore) => unknown, each?: number])[];
const STEPS: Steps = [
  [`first run of ${rows} entries`, (store) => store.recordRun(LISTING, at(0), entries(0, rows), at(1))],
  ['a run with the same entries', (store) => store.recordRun(LISTING, at(2), entries(0, rows), at(3))],
  ['a run with 2 % other entries', (store) => store.recordRun(LISTING, at(4), entries(rows / 100, rows), at(5))],
  [`${rows} events`, (store) => store.recordCaptures(EVENTS, at(4), entries(rows / 2, rows), at(5))],
  [
    'one capture',
    async (store) =>
      void (await each(50, 1, (n) => store.recordCaptures(EVENTS, at(6), entries(10 * rows + n, 1), at(6)))),
    50,
  ],
  [
    'a follower reads one change',
    (store) => each(20, 1, async () => store.changesSince((await store.head()).sequence - 1, 1000)),
    20,
  ],
  [
    '`at` of one address',
    (store) => each(LOOKUPS, 1, (n) => store.observationsAt({ family: 4, w0: wordOf(n), w1: 0, w2: 0, w3: 0 }, at(6))),
    LOOKUPS,
  ],
  [
    `the same, ${AT_ONCE} at once`,
    (store) =>
      each(LOOKUPS, AT_ONCE, (n) => store.observationsAt({ family: 4, w0: wordOf(n), w1: 0, w2: 0, w3: 0 }, at(6))),
    LOOKUPS,
  ],
  ['read everything and compile the image', (store) => compileEvidence(store, at(7), FIXED_SEED)],
];

async function each(count: number, atOnce: number, work: (n: number) => unknown): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

/** @returns milliseconds until an image of everything is brought up to MERGED captures more */
async function merge(store: HistoryStore): Promise<number> {
  const image = openEvidence((await compileEvidence(store, at(7), FIXED_SEED)).bytes.buffer);
  await store.recordCaptures(EVENTS, at(7), entries(20 * rows, MERGED), at(8));
  const since = performance.now();
  if ((await mergeEvidenceSince(store, image, at(8))) === undefined) throw new Error('the journal does not reach back');
  return performance.now() - since;
}

async function measure(store: HistoryStore): Promise<number[]> {
  const took: number[] = [];
  for (const [, work, count = 1] of STEPS) {
    const since = performance.now();
    await work(store);
    took.push((performance.now() - since) / count);
  }
  took.push(await merge(store));
  return took;
}

const folder = mkdtempSync(join(tmpdir(), 'pulse-bench-history-'));
const server = await startPostgres();
if ('skip' in server) throw new Error(server.skip);
try {
  const sqlite = new SqliteHistory(join(folder, 'evidence.db'));
  const inSqlite = await measure(sqlite);
  sqlite.close();
  const url = await server.createDatabase();
  const postgres = new PostgresHistory(url);
  const inPostgres = await measure(postgres);
  await postgres.close();
  const size = await postgresEvidenceBytes(url);
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const kept = 2 * rows + rows / 50;
  const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
  table(
    ['', 'SQLite', 'PostgreSQL', 'ratio'],
    [
      ...[...STEPS.map(([title]) => title), `merge ${MERGED} new captures into the image`].map((title, step) => [
        title,
        `${ms(inSqlite[step]!)} ms`,
        `${ms(inPostgres[step]!)} ms`,
        (inPostgres[step]! / inSqlite[step]!).toFixed(1),
      ]),
      ['bytes a spell or event', (bytes / kept).toFixed(0), (size / kept).toFixed(0), (size / bytes).toFixed(1)],
    ],
  );
} finally {
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
}

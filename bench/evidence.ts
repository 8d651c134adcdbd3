/**
 * Evidence: parse, import, compile, lookup and `at`, with memory. The targets are stated for 10 M addresses
 * and 20 M spells, which `--rows 10000000 --runs 8` makes.
 *
 *   node bench/evidence.ts [--rows 1000000] [--runs 4] [--in FOLDER] [--retain] [--image-only] [--postgres]
 *
 * `--in` keeps the store in that folder; where it holds one of the same shape already, only reading is
 * measured, and memory is that of a process that reads. `--retain` puts the spells and events that ended in
 * the first half of the runs out of reach at the end, which leaves a store of another shape. For 100 M
 * spells: `node --max-old-space-size=16384 bench/evidence.ts --rows 50000000 --runs 8 --retain`. `--postgres`
 * keeps the store in a PostgreSQL of this machine (fsync off) in place of SQLite. `--image-only` leaves the
 * store out: one row an address goes into an image, and a hundredth of the rows are merged into it
 * afterwards. For 100 M addresses: `node --max-old-space-size=8192 bench/evidence.ts --rows 100000000
 * --image-only`.
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PostgresHistory } from '../src/adapters/history/postgres/history.ts';
import { SqliteHistory } from '../src/adapters/history/sqlite/history.ts';
import { horizonOf } from '../src/adapters/history/upkeep/compactor.ts';
import { RISK_TYPES } from '../src/contract/risk.ts';
import { CaptureBatchBuilder } from '../src/core/evidence/capture-batch-builder.ts';
import { CaptureReader } from '../src/core/evidence/capture-reader.ts';
import type { Observation } from '../src/core/evidence/observation.ts';
import { SCORE_PARAMETERS } from '../src/core/risk/parameters.ts';
import { verdict } from '../src/core/risk/verdict.ts';
import { DAY_MS, HOUR_MS, unixMs } from '../src/core/units.ts';
import { EvidenceBuilder } from '../src/engine/evidence/evidence-builder.ts';
import { type EvidenceColumns, type LiveSource, NO_POSITION, ROW_OP } from '../src/engine/evidence/evidence-delta.ts';
import { type EvidenceImage, openEvidence } from '../src/engine/evidence/evidence-image.ts';
import { EvidenceRowBuffer } from '../src/engine/evidence/evidence-row-buffer.ts';
import { LiveEvidence } from '../src/engine/evidence/live-evidence.ts';
import { mergeEvidence } from '../src/engine/evidence/merge-evidence.ts';
import { type CompiledEvidence, compileEvidence } from '../src/service/compile/compile-evidence.ts';
import { HISTORY_DAYS } from '../src/service/ports.ts';
import { FIXED_SEED } from '../test/support/fixed-seed.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { randomWords } from '../test/support/random.ts';
import { sink } from './peers/measure.ts';
import { postgresEvidenceBytes } from './peers/postgres-evidence-bytes.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '4' },
    in: { type: 'string' },
    retain: { type: 'boolean', default: false },
    'image-only': { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
  },
});
const ROWS = Number(values.rows);
const RUNS = Number(values.runs);
/** Addresses of one list, and of one source of events. */
const SOURCE_ROWS = 10_000_000;
const NOW = unixMs(Date.UTC(2026, 7, 22));
const NETWORK = { usageType: undefined, hosting: false, mobile: false, crawler: false, relay: false };

const random = randomWords(88_172_645);
const publicWord = (): number => ((random() % 0xbe_ff_ff_ff) + 0x0b_00_00_00) >>> 0;
const words = Uint32Array.from({ length: ROWS }, publicWord);
const lines: [string, string][] = [];
const report = (what: string, figure: string): void => void lines.push([what, figure]);
const seconds = async (work: () => unknown): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};
const rate = (count: number, took: number): string => `${(count / took / 1e6).toFixed(2)} M/s (${took.toFixed(2)} s)`;

const memory = (): string => `${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`;

const folder = values.in ?? mkdtempSync(join(tmpdir(), 'pulse-bench-evidence-'));
mkdirSync(folder, { recursive: true });
const path = join(folder, `evidence-${ROWS}-${RUNS}.db`);
const made = !values.postgres && existsSync(path);
const server = values.postgres ? await startPostgres() : undefined;
if (server !== undefined && 'skip' in server) throw new Error(server.skip);
const database = await server?.createDatabase();
const store = values['image-only']
  ? undefined
  : database === undefined
    ? new SqliteHistory(path)
    : new PostgresHistory(database);
type Store = NonNullable<typeof store>;

/** Parses, then imports events and runs of a listing. */
async function fill(store: Store): Promise<void> {
  const text = new TextEncoder().encode(
    Array.from(
      words.subarray(0, Math.min(ROWS, 2_000_000)),
      (w) => `${w >>> 24}.${(w >>> 16) & 255}.${(w >>> 8) & 255}.${w & 255}`,
    ).join('\n'),
  );
  const reader = new CaptureReader();
  const parsed = await seconds(() => {
    for (let from = 0; from < text.length; from += 1 << 20) reader.write(text.subarray(from, from + (1 << 20)));
    reader.end();
  });
  report('parse a plain list', rate(reader.lines, parsed));

  let [eventSeconds, runSeconds, spells] = [0, 0, 0];
  for (let part = 0; part * SOURCE_ROWS < ROWS; part++) {
    const own = words.subarray(part * SOURCE_ROWS, (part + 1) * SOURCE_ROWS);
    eventSeconds += await seconds(() => {
      const events = new CaptureBatchBuilder(own.length);
      for (const word of own) events.addIpv4(word, 32);
      const id = `e${part}`;
      return store.recordCaptures(
        { id, family: id, mode: 'events', riskType: 'honeypot_scan' },
        NOW,
        events.build(),
        NOW,
      );
    });
    // Every run holds a random three quarters of the rows, so that spells end and begin.
    runSeconds += await seconds(async () => {
      for (let run = 0; run < RUNS; run++) {
        const batch = new CaptureBatchBuilder(own.length);
        for (const word of own) if (random() % 4 !== 0) batch.addIpv4(word, 32);
        const [id, at] = [`l${part}`, unixMs(NOW - (RUNS - run) * DAY_MS)];
        const source = { id, family: id, mode: 'listing', riskType: 'proxy' } as const;
        spells += (await store.recordRun(source, at, batch.build(), NOW)).added;
      }
    });
  }
  report('import events, a transaction a source', rate(ROWS, eventSeconds));
  report(`${RUNS} runs of each listing, ${(spells / 1e6).toFixed(2)} M spells`, rate(0.75 * RUNS * ROWS, runSeconds));
  report('resident memory after imports', memory());
}

/** Rows of addresses, seen within the last month, in buffers of a million. */
function* rowsFor(addresses: Uint32Array, source: number): Generator<EvidenceColumns> {
  for (let from = 0; from < addresses.length; from += 1_000_000) {
    const rows = new EvidenceRowBuffer();
    for (const word of addresses.subarray(from, from + 1_000_000)) {
      const prefix = rows.prefix(4, word, 0, 0, 0, 32);
      rows.row(prefix, ROW_OP.fixed, source, SCAN, 0, NOW - (random() % (30 * 24)) * HOUR_MS, 1);
    }
    yield rows.columns();
  }
}

const SCAN = RISK_TYPES.indexOf('honeypot_scan');
const META = { dataVersion: 'r1', builtAt: NOW, ...NO_POSITION };
const SOURCE: LiveSource = { id: 'e', family: 'e', lastRunAt: NOW, runDays: 1 };

async function compileAlone(): Promise<Pick<CompiledEvidence, 'bytes' | 'rows'>> {
  const builder = new EvidenceBuilder();
  const source = builder.source(SOURCE);
  for (const rows of rowsFor(words, source)) builder.add(rows);
  const rows = builder.length;
  return { bytes: builder.compile(META, FIXED_SEED), rows };
}

/** Another time for a hundredth of the rows, by one merge. */
async function mergeInto(image: EvidenceImage): Promise<void> {
  const [rows] = [...rowsFor(words.subarray(0, Math.min(1_000_000, ROWS / 100)), 0)];
  const changes = { ...rows!, ...NO_POSITION, sequence: 1, dataVersion: 'r2', sources: [SOURCE], pools: [''] };
  report(
    `merge ${(rows!.length / 1e6).toFixed(2)} M changes`,
    `${(await seconds(() => mergeEvidence(image, changes, NOW))).toFixed(2)} s`,
  );
}

async function askStore(store: Store): Promise<void> {
  if (!made) await fill(store);
  const bytes = database === undefined ? statSync(path).size : await postgresEvidenceBytes(database);
  report('store size', `${(bytes / 1e6).toFixed(0)} MB`);

  for (const [name, pick] of [
    ['addresses held', () => words[random() % ROWS]!],
    ['any address', publicWord],
  ] as const) {
    const times = new Float64Array(20_000);
    for (let i = 0; i < times.length; i++) {
      const w0 = pick();
      const at = unixMs(NOW - (random() % (20 * 24)) * HOUR_MS);
      const start = performance.now();
      await store.observationsAt({ family: 4, w0, w1: 0, w2: 0, w3: 0 }, at);
      times[i] = performance.now() - start;
    }
    times.sort();
    report(
      `at, ${name}, p50 / p99 / worst`,
      [times.length >> 1, Math.floor(times.length * 0.99), times.length - 1]
        .map((i) => times[i]!.toFixed(3))
        .join(' / ')
        .concat(' ms'),
    );
  }
  report('resident memory after them', memory());
}

/** Compacts as of a day on which the first half of the runs is out of reach. */
async function retain(store: Store): Promise<void> {
  const reach = NOW - horizonOf(NOW, HISTORY_DAYS, undefined);
  const now = unixMs(NOW + reach - (RUNS / 2) * DAY_MS);
  let moved = 0;
  const took = await seconds(async () => {
    const { spells, events } = await store.compact(now);
    moved = spells + events;
  });
  report('retention, rows moved or dropped', rate(moved, took));
}

try {
  if (store !== undefined) await askStore(store);
  let image: Uint8Array<ArrayBuffer> | undefined;
  let rows = 0;
  const before = process.cpuUsage();
  const compiled = await seconds(
    async () =>
      ({ bytes: image, rows } = await (store === undefined ? compileAlone() : compileEvidence(store, NOW, FIXED_SEED))),
  );
  const { user, system } = process.cpuUsage(before);
  report(
    `compile ${(rows / 1e6).toFixed(2)} M rows`,
    `${rate(rows, compiled)}, ${((user + system) / 1e6).toFixed(2)} s of processor`,
  );
  report('image, a row', `${(image!.byteLength / rows).toFixed(1)} bytes`);

  const live = new LiveEvidence(openEvidence(image!.buffer), FIXED_SEED);
  for (const [name, pick] of [
    ['hit', () => words[random() % ROWS]!],
    ['miss', publicWord],
  ] as const) {
    const count = 1_000_000;
    let sum = 0;
    const observed = (): readonly Observation[] => live.observations({ family: 4, w0: pick(), w1: 0, w2: 0, w3: 0 });
    for (const [what, one] of [
      ['lookup', () => observed().length],
      ['lookup and verdict', () => verdict(observed(), NETWORK, 4, NOW, SCORE_PARAMETERS).score],
    ] as const) {
      const lookups = await seconds(() => {
        for (let i = 0; i < count; i++) sum += one();
      });
      report(`${what}, ${name}`, `${((lookups / count) * 1e9).toFixed(0)} ns`);
    }
    sink.value += sum;
  }
  report('resident memory with the image', memory());
  if (store === undefined) await mergeInto(openEvidence(image!.buffer));
  else if (values.retain) await retain(store);
  report('most resident memory', `${(process.resourceUsage().maxRSS / 1e3).toFixed(0)} MB`);
} finally {
  await store?.close();
  await server?.dispose();
  if (values.in === undefined) rmSync(folder, { recursive: true });
}
process.stdout.write(
  `\n${ROWS.toLocaleString('en')} addresses\n\n| what | measured |\n|---|---|\n${lines.map(([what, figure]) => `| ${what} | ${figure} |`).join('\n')}\n`,
);

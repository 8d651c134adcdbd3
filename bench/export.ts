/**
 * Files of verdicts and decisions of bouncers: from the compiled evidence to the finished file, for each format. Each row is a process of its own, so that memory is its own.
 *
 *   node bench/export.ts [--addresses 500000] [--rows txt,decisions]
 *
 * One address in ten is IPv6; there is one prefix for fifty addresses; captures are spread over 40 days, so that scores differ and some evidence is stale.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openOutput } from '../src/adapters/log-files/open-output.ts';
import { RISK_TYPES } from '../src/contract/risk.ts';
import type { ExportEntry } from '../src/core/export/export-record.ts';
import { decisionsJson } from '../src/core/lists/decision-json.ts';
import { DAY_MS, HOUR_MS, unixMs } from '../src/core/units.ts';
import { EvidenceBuilder } from '../src/engine/evidence/evidence-builder.ts';
import { ROW_OP } from '../src/engine/evidence/evidence-delta.ts';
import { openEvidence } from '../src/engine/evidence/evidence-image.ts';
import { EvidenceRowBuffer } from '../src/engine/evidence/evidence-row-buffer.ts';
import { LiveEvidence } from '../src/engine/evidence/live-evidence.ts';
import { openGeo } from '../src/engine/geo/geo-image.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  encoded,
  exportChunks,
  exportDetailOf,
} from '../src/main/bulk/export-formats.ts';
import { decisionsOf } from '../src/service/lists/decisions-of.ts';
import { exportEntries } from '../src/service/lookup/export-entries.ts';
import { FIXED_SEED } from '../test/support/fixed-seed.ts';
import { randomWords } from '../test/support/random.ts';
import { syntheticGeo } from '../test/support/synthetic-geo.ts';
import { table } from './peers/measure.ts';

const { values } = parseArgs({
  options: {
    addresses: { type: 'string', default: '500000' },
    rows: { type: 'string' },
    row: { type: 'string' },
    folder: { type: 'string' },
  },
});
const ADDRESSES = Number(values.addresses);
const NOW = unixMs(Date.UTC(2026, 10, 22));
const SOURCES = 8;

interface Measured {
  readonly prefixes: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly rssMb: number;
}

/** The image as it would be compiled from a store. */
function evidence(): LiveEvidence {
  const random = randomWords(20_261_122);
  const builder = new EvidenceBuilder();
  for (let i = 0; i < SOURCES; i++)
    builder.source({ id: `list-${i}`, family: `list-${i}`, lastRunAt: unixMs(NOW - HOUR_MS), runDays: 0x3fff });
  const rows = new EvidenceRowBuffer(65_536);
  for (let i = 0; i < ADDRESSES; i++) {
    const six = random() % 10 === 0;
    const wide = random() % 50 === 0;
    const w0 = six ? 0x2400_0000 + (random() % 0x0400_0000) : 0x0b00_0000 + (random() % 0x6000_0000);
    const bits = six ? (wide ? 64 : 128) : wide ? 20 + (random() % 12) : 32;
    const cut = !six && bits < 32 ? (w0 & (-1 << (32 - bits))) >>> 0 : w0;
    const at = NOW - HOUR_MS - (random() % (40 * DAY_MS));
    const row = rows.prefix(
      six ? 6 : 4,
      cut,
      six ? random() & 0xffff : 0,
      six && !wide ? random() : 0,
      six && !wide ? random() : 0,
      bits,
    );
    rows.row(row, ROW_OP.fixed, random() % SOURCES, random() % (RISK_TYPES.length - 1), 0, at, 1 | (random() & 0x3fff));
    if (rows.length < 65_536) continue;
    builder.add(rows.columns());
    rows.reset();
  }
  builder.add(rows.columns());
  const meta = { dataVersion: 'bench', builtAt: NOW, store: 's', sequence: 1, mark: 'm' };
  return new LiveEvidence(openEvidence(builder.compile(meta, FIXED_SEED).buffer), FIXED_SEED);
}

const NOTICE = {
  moment: NOW,
  dataVersion: { risk: 'bench', geo: 'bench' },
  parametersVersion: '2',
  degraded: false,
  families: [4, 6] as const,
  filter: { minScore: 0 },
  sources: [],
  own: true,
  leftOut: [],
  includesFetchOnly: false,
  networkSources: [],
};

const dataOf = () => ({
  evidence: evidence(),
  geo: openGeo(syntheticGeo().buffer as ArrayBuffer),
  protection: NO_PROTECTION,
  protectedPrefixes: [],
  overrides: undefined,
});

/** With `--addresses 2000000` there are two million. */
const DECISIONS = { minScore: 1 };

/** A bouncer's first call: every decision, the riskiest first, as JSON in a file. */
async function decisions(folder: string): Promise<Measured> {
  const data = dataOf();
  const start = performance.now();
  const decided = decisionsOf(data, { ...DECISIONS, at: NOW, counts: () => true });
  const path = join(folder, 'decisions');
  const bytes = await written(path, encoded(decisionsJson(decided, {}, NOW)));
  return { prefixes: decided.length, seconds: (performance.now() - start) / 1000, bytes, rssMb: peakMb() };
}

function entriesFor(format: ExportFormat): Generator<ExportEntry> {
  const data = dataOf();
  const choice = {
    at: NOW,
    families: NOTICE.families,
    filter: NOTICE.filter,
    carries: exportDetailOf(format),
    counts: () => true,
    withNetworks: false,
  };
  return exportEntries(data, choice);
}
const NO_PROTECTION = { knownGood: () => undefined, isOwn: () => false };

const peakMb = (): number => process.resourceUsage().maxRSS / 1024;

/** Writes a file as the command does. @returns its size */
async function written(path: string, pieces: Iterable<Uint8Array>): Promise<number> {
  const output = await openOutput(path);
  let bytes = 0;
  for (const piece of pieces) {
    bytes += piece.length;
    await output.write(piece);
  }
  await output.finish();
  return bytes;
}

/** Evidence to file. */
async function whole(format: ExportFormat, folder: string): Promise<Measured> {
  let prefixes = 0;
  const entries = entriesFor(format);
  function* counted(): Generator<ExportEntry> {
    for (const entry of entries) {
      prefixes++;
      yield entry;
    }
  }
  const start = performance.now();
  const bytes = await written(
    join(folder, format),
    exportChunks(format, { entries: counted(), notice: NOTICE, name: 'pulse', schema: 'pulse' }),
  );
  return { prefixes, seconds: (performance.now() - start) / 1000, bytes, rssMb: peakMb() };
}

function inProcess(row: string, folder: string): Measured {
  const args = [import.meta.filename, '--addresses', String(ADDRESSES), '--row', row, '--folder', folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${row}: ${stderr}`);
  return JSON.parse(stdout) as Measured;
}

const cells = (name: string, { prefixes, seconds, bytes, rssMb }: Measured): readonly (string | number)[] => [
  name,
  prefixes.toLocaleString('en-US'),
  seconds.toFixed(2),
  `${(prefixes / seconds / 1e6).toFixed(2)} M`,
  (bytes / 1e6).toFixed(1),
  rssMb.toFixed(0),
];
const ROWS: readonly string[] = values.rows?.split(',') ?? [...EXPORT_FORMATS, 'decisions'];
const HEAD = ['', 'prefixes', 's', 'prefixes/s', 'file MB', 'peak RSS MB'];

if (values.row === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-bench-export-'));
  console.log(`### ${ADDRESSES.toLocaleString('en-US')} captured addresses and prefixes: evidence → file\n`);
  table(HEAD, [
    cells('nothing (the image is made)', inProcess('nothing', folder)),
    ...ROWS.map((row) => cells(row, inProcess(row, folder))),
  ]);
  rmSync(folder, { recursive: true, force: true });
} else {
  const folder = values.folder!;
  const { row } = values;
  if (row === 'nothing') evidence();
  const measured =
    row === 'nothing'
      ? { prefixes: 0, seconds: 1, bytes: 0, rssMb: peakMb() }
      : row === 'decisions'
        ? await decisions(folder)
        : await whole(row as ExportFormat, folder);
  process.stdout.write(JSON.stringify(measured));
}

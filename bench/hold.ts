/**
 * The longest hold of an answering thread, for every route that is not a look-up, over a data folder of one who has used everything for long. Status 1 when one
 * is over the limit.
 *
 *   node bench/hold.ts [--rounds 3] [--limit 20] [--all]
 *
 * Processor time of the thread in one turn of its event loop is what is judged: on a busy machine the clock also counts what others do. What waits for a disk shows
 * by the clock only. The first round loads code and is not judged.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { unixMs } from '../src/core/units.ts';
import { openAccounts } from '../src/main/accounts/open-accounts.ts';
import { askOtherRoutes } from '../test/support/ask-other-routes.ts';
import { FULL_SIZE, fillDataFolder } from '../test/support/fill-data-folder.ts';
import { serveProcess } from '../test/support/serve-process.ts';
import { notingSyncWork, readSyncWork, type SyncWork } from '../test/support/sync-work.ts';
import { writeSyntheticGeo } from '../test/support/synthetic-geo.ts';
import { table } from './peers/measure.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, limit: { type: 'string', default: '20' }, all: { type: 'boolean', default: false } },
});
const ROUNDS = Number(values.rounds);
const LIMIT_MS = Number(values.limit);
const PASSWORD = 'correct horse battery staple';

const dataDir = mkdtempSync(join(tmpdir(), 'pulse-hold-'));
const notes = join(dataDir, 'requests.jsonl');
try {
  writeSyntheticGeo(dataDir);
  const names = ['owner', ...Array.from({ length: ROUNDS + 1 }, (_, round) => `leaver-${round}`)];
  const since = performance.now();
  const [owner, ...leavers] = await fillDataFolder({ dataDir, size: FULL_SIZE, names, password: PASSWORD, at: unixMs(Date.now()) });
  process.stderr.write(`filled in ${Math.round((performance.now() - since) / 1000)} s\n`);
  const server = await serveProcess({
    dataDir,
    waitMs: 120_000,
    publicHost: 'localhost',
    env: { ...notingSyncWork(notes), PULSE_PHONE: 'on', PULSE_SIGNUP: 'open', PULSE_TRUSTED_PROXIES: '127.0.0.1,::1' },
  });
  const accounts = await openAccounts({ dataDir, databaseUrl: undefined, secret: undefined });
  try {
    for (const [round, leaver] of leavers.entries())
      await askOtherRoutes({ base: `http://localhost:${server.port}`, dataDir, accounts, owner: owner!, leaver, password: PASSWORD }, round);
  } finally {
    await accounts.close();
    await server.stop();
  }
  print(readSyncWork(notes));
} finally {
  rmSync(dataDir, { recursive: true });
}

function print(noted: readonly SyncWork[]): void {
  const routes = Map.groupBy(
    noted.filter(({ label }) => label !== undefined),
    ({ label }) => label!.slice(label!.indexOf(' ') + 1),
  );
  const rows = [...routes].map(([route, works]) => {
    const judged = works.filter(({ label }) => !label!.startsWith('0 '));
    const most = (of: (work: SyncWork) => number, among = judged): number => Math.max(...among.map(of));
    return {
      route,
      statuses: [...new Set(judged.map(({ status }) => status))].join(' '),
      cpuMs: most(({ holdCpuMs }) => holdCpuMs),
      clockMs: most(({ holdMs }) => holdMs),
      firstMs: most(
        ({ holdCpuMs }) => holdCpuMs,
        works.filter(({ label }) => label!.startsWith('0 ')),
      ),
      files: most(({ files }) => files.length),
      statements: most(({ statements }) => statements.length),
      steps: most(({ statements }) => statements.reduce((sum, { steps }) => sum + steps, 0)),
    };
  });
  rows.sort((one, two) => two.cpuMs - one.cpuMs);
  const shown = values.all ? rows : rows.slice(0, 30);
  const heads = ['route', 'answers', 'hold, CPU ms', 'hold, clock ms', 'first, CPU ms', 'files', 'statements', 'SQLite steps'];
  table(
    heads,
    shown.map((row) => [
      row.route,
      row.statuses,
      ...[row.cpuMs, row.clockMs, row.firstMs].map((ms) => ms.toFixed(1)),
      ...[row.files, row.statements, row.steps].map(String),
    ]),
  );
  process.stdout.write(`${rows.length} routes, ${ROUNDS} rounds after the first\n`);
  const judgedFiles = noted.filter(({ label, files }) => label !== undefined && !label.startsWith('0 ') && files.length > 0);
  for (const { label, files } of judgedFiles) process.stdout.write(`${label}: ${files.slice(0, 3).join(', ')}\n`);
  const over = rows.filter(({ cpuMs }) => cpuMs > LIMIT_MS);
  for (const { route, cpuMs } of over) process.stderr.write(`${route} held its thread for ${cpuMs.toFixed(1)} ms\n`);
  if (over.length > 0) process.exitCode = 1;
}

/**
 * The longest hold of a lookup thread, and of the app thread, by the work of the service meanwhile: start,
 * every route that is not a lookup (sign-in, OAuth, MCP, console and operator pages) over a data folder of
 * one who has used everything for long, an import, and the swap of the evidence image. And the memory of a
 * thread.
 *
 *   node bench/hold.ts [--rounds 3] [--rows 200000]
 *
 * The clock is read: on a busy machine a hold counts other processes. Nothing but the phases differs between
 * the rows of one run.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openAccounts } from '../src/adapters/accounts/open-accounts.ts';
import { ROUTES } from '../src/apps/http/routes.ts';
import { unixMs } from '../src/core/units.ts';
import { fillDataFolder } from '../test/support/fill-data-folder.ts';
import { type DrawnRequest, drawnFrom, soundRequests } from '../test/support/fuzz/draw-request.ts';
import { sendOnce } from '../test/support/fuzz/fuzz-requests.ts';
import { type Caller, makeWorld } from '../test/support/fuzz/make-world.ts';
import { pulseCommand } from '../test/support/pulse-command.ts';
import { serveProcess } from '../test/support/serve-process.ts';
import { sessionOpener } from '../test/support/session-opener.ts';
import { writeSyntheticGeo } from '../test/support/synthetic-geo.ts';
import { table } from './peers/measure.ts';

interface Note {
  readonly at: number;
  readonly serves: 'lookups' | 'others';
  readonly holdMs: number;
  readonly heapUsed: number;
  readonly heapTotal: number;
  readonly external: number;
}

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, rows: { type: 'string', default: '200000' } },
});
const ROUNDS = Number(values.rounds);
/** Changes of an import are seen, and the image that holds them is swapped, within this. */
const SWAPPED_MS = 15_000;

const dataDir = mkdtempSync(join(tmpdir(), 'pulse-hold-'));
const notes = join(dataDir, 'holds.jsonl');
const phases: { readonly name: string; readonly from: number; to: number }[] = [];
try {
  writeSyntheticGeo(dataDir);
  const owner = await fillDataFolder(dataDir, unixMs(Date.now()));
  writeFileSync(notes, '');
  const server = await phase('start, to the first page', () =>
    serveProcess({
      dataDir,
      waitMs: 120_000,
      env: {
        NODE_OPTIONS: `--import=${resolve(import.meta.dirname, 'peers/note-holds.mjs')}`,
        NOTE_HOLDS: notes,
        PULSE_WORKERS: '1',
        PULSE_PHONE: 'on',
        PULSE_SIGNUP: 'open',
        PULSE_TRUSTED_PROXIES: '127.0.0.1,::1',
      },
    }),
  );
  const accounts = await openAccounts({ dataDir, databaseUrl: undefined, secret: undefined });
  try {
    const opener = sessionOpener(accounts, server);
    const asOwner: Caller = { name: 'owner', headers: {} };
    const made = await phase('accounts, sessions and an app', () => makeWorld(server));
    const operatorKey = { name: 'key of the owner', headers: { 'x-api-key': owner.key } };
    const world = { ...made, sessions: [asOwner], operatorSessions: [asOwner], operatorKey };
    for (let round = 0; round < ROUNDS; round++)
      await phase(round === 0 ? 'every other route, first time' : 'every other route', async () => {
        asOwner.headers = await opener.open(owner.id);
        const endsSession = ({ path }: DrawnRequest): number => Number(path.endsWith('/sign-out'));
        const routes = ROUTES.filter(({ cost }) => cost !== 'lookup');
        const requests = soundRequests(world, routes).map((one) => drawnFrom(one, round));
        for (const request of requests.toSorted((a, b) => endsSession(a) - endsSession(b)))
          await sendOnce(server.port, undefined, request);
      });
    await made.close();
    const rows = join(dataDir, 'rows.txt');
    writeFileSync(
      rows,
      Array.from({ length: Number(values.rows) }, (_, n) => `${20 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}.1\n`).join(
        '',
      ),
    );
    await phase(`import of ${values.rows} rows, and the swap`, async () => {
      pulseCommand(['evidence', 'import', rows, '--source', 'bench', '--risk-type', 'proxy'], {
        env: { PULSE_DATA_DIR: dataDir },
      });
      await new Promise((seen) => setTimeout(seen, SWAPPED_MS));
    });
  } finally {
    await accounts.close();
    await server.stop();
  }
  print(
    readFileSync(notes, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Note),
  );
} finally {
  rmSync(dataDir, { recursive: true });
}

async function phase<Done>(name: string, work: () => Done | Promise<Done>): Promise<Done> {
  const from = Date.now();
  const done = await work();
  const before = phases.find((one) => one.name === name);
  if (before === undefined) phases.push({ name, from, to: Date.now() });
  else before.to = Date.now();
  return done;
}

function print(noted: readonly Note[]): void {
  const longest = (serves: Note['serves'], from: number, to: number): string => {
    const holds = noted
      .filter((note) => note.serves === serves && note.at >= from && note.at <= to)
      .map(({ holdMs }) => holdMs);
    return holds.length === 0 ? '-' : Math.max(...holds).toFixed(1);
  };
  table(
    ['while', 'lookup thread held, ms', 'app thread held, ms'],
    phases.map(({ name, from, to }) => [name, longest('lookups', from, to), longest('others', from, to)]),
  );
  const last = (serves: Note['serves']): Note | undefined => noted.findLast((note) => note.serves === serves);
  const mib = (bytes: number | undefined): string => ((bytes ?? 0) / 1024 / 1024).toFixed(1);
  table(
    ['thread', 'heap used, MiB', 'heap, MiB', 'external, MiB'],
    (['lookups', 'others'] as const).map((serves) => [
      serves,
      mib(last(serves)?.heapUsed),
      mib(last(serves)?.heapTotal),
      mib(last(serves)?.external),
    ]),
  );
}

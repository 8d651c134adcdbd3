/**
 * No request of a page, an account, an operator or an app makes the thread that answers look-ups wait: over a data folder of one who has used everything for
 * long, what it does synchronously is counted, not timed (bench/hold.ts times it).
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { unixMs } from '../../src/core/units.ts';
import { openAccounts } from '../../src/main/accounts/open-accounts.ts';
import { askOtherRoutes, type RouteAnswer } from '../support/ask-other-routes.ts';
import { eventually } from '../support/eventually.ts';
import { type FilledAccount, type FilledSize, fillDataFolder, USED_A_DAY } from '../support/fill-data-folder.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { sessionOpener } from '../support/session-opener.ts';
import { notingSyncWork, readRecordStatements, readSyncWork, type SyncWork } from '../support/sync-work.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pulse-sync-work-'));
const NOTES = join(dataDir, 'requests');
const PASSWORD = 'correct horse battery staple';
/** Large enough that a statement which reads a whole table stands out, and one which reads what one account may have does not. */
const SIZE: FilledSize = { keys: 990, sessions: 50, apps: 60, days: 31, countersADay: 8000, auditRows: 20_000, accounts: 10_000 };
/** Steps of SQLite's machine in one statement. All keys of an account take 28,000, all of its audit rows 30,000; all accounts and all audit rows over 60,000. */
const STEPS_MAX = 40_000;

let server: ServeProcess;
let owner: FilledAccount;
let answers: readonly RouteAnswer[];
let works: readonly SyncWork[];
let cookie: string;

before(async () => {
  writeSyntheticGeo(dataDir);
  const names = ['owner', 'leaver-0', 'leaver-1'];
  const [first, ...leavers] = await fillDataFolder({ dataDir, size: SIZE, names, password: PASSWORD, at: unixMs(Date.now()) });
  owner = first!;
  const env = { PULSE_PHONE: 'on', PULSE_SIGNUP: 'open', PULSE_TRUSTED_PROXIES: '127.0.0.1,::1', ...notingSyncWork(NOTES) };
  server = await serveProcess({ dataDir, publicHost: 'localhost', env });
  const accounts = await openAccounts({ dataDir, databaseUrl: undefined, secret: undefined });
  const base = `http://localhost:${server.port}`;
  // The first round loads code; the second is of a thread that has answered it before.
  for (const [round, leaver] of leavers.entries()) answers = await askOtherRoutes({ base, dataDir, accounts, owner, leaver, password: PASSWORD }, round);
  cookie = (await sessionOpener(accounts, { base, dataDir }).open(owner.id))['cookie']!;
  await accounts.close();
  const judged = (): readonly SyncWork[] => readSyncWork(NOTES).filter(({ label }) => label?.startsWith('1 '));
  await eventually(() => judged().length === answers.length);
  works = judged();
});
after(async () => {
  await server?.dispose();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A wrong password, a reading that is not in quarantine, a reading where nothing is fetched. */
const REFUSED = [
  '401 POST /console/api/session/sign-in',
  '400 POST /console/api/operator/feeds/:id/accept',
  '404 POST /console/api/operator/feeds/:id/refresh',
];

test('every route that is not a look-up lets its caller in', () => {
  const refused = answers.filter(({ status }) => status >= 400).map(({ route, status }) => `${status} ${route}`);
  assert.deepEqual([...new Set(refused)].sort(), [...REFUSED].sort());
});

test('no such request touches a file synchronously', () => {
  const touched = works.filter(({ files }) => files.length > 0).map(({ label, files }) => `${label}: ${files.join(', ')}`);
  assert.deepEqual(touched, []);
});

test('no such request runs a statement on the answering thread but to read one key, account or plan by its name', () => {
  const others = works.flatMap(({ label, statements }) =>
    statements.filter(({ sql, rows, steps }) => rows > 1 || steps > 60 || !/^select .* from (?:api_keys|accounts|plans) where (?:hash|id|name) = \?$/.test(sql)).map(({ sql }) => `${label}: ${sql}`),
  ); // biome-ignore format: one condition
  assert.deepEqual(others, []);
  const most = works.map(({ statements }) => statements.length);
  assert.ok(Math.max(...most) <= 4, `${Math.max(...most)} statements`);
});

test('no statement of the records database reads a whole table that grows with the installation', (t) => {
  const run = readRecordStatements(NOTES);
  assert.ok(run.length > 500, `${run.length} statements were seen`);
  // A part of an address can be anywhere: the one question that looks at every account. It runs in the thread of the database.
  const bounded = run.filter(({ sql }) => !sql.includes('email like'));
  const steps = Math.max(...bounded.map((statement) => statement.steps));
  t.diagnostic(`${run.length} statements, at most ${steps} steps in one`);
  const over = bounded.filter((statement) => statement.steps > STEPS_MAX).map(({ sql, steps }) => `${steps} steps: ${sql}`);
  assert.deepEqual([...new Set(over)], []);
});

test('the answer of many days and keys is whole', async () => {
  const usage = (await (await fetch(`${server.base}/console/api/usage`, { headers: { cookie } })).json()) as {
    readonly days: readonly { readonly used: number; readonly keys: Readonly<Record<string, number>> }[];
  };
  const yesterday = usage.days.at(-2)!;
  assert.equal(yesterday.used, USED_A_DAY);
  assert.equal(Object.keys(yesterday.keys).length, SIZE.keys);
});

test('the status page shows what a command wrote, though it opens no file', async () => {
  const off = async (): Promise<readonly boolean[]> => {
    const { sources } = (await (await fetch(`${server.base}/console/api/status`)).json()) as { sources: readonly { off: boolean }[] };
    return sources.map((source) => source.off);
  };
  assert.ok((await off()).length > 100 && !(await off()).includes(true));
  assert.equal(pulseCommand(['feeds', 'off', 'iplocate-proxies'], { env: { PULSE_DATA_DIR: server.dataDir } }).status, 0);
  await eventually(async () => (await off()).includes(true));
});

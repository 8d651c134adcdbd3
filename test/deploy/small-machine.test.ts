/** The first start on a machine with little memory: a control group stands for it, which takes rights that a plain user lacks. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { MANY_ANONYMOUS, pulseEnvironment } from '../support/pulse-environment.ts';

const MIB = 2 ** 20;
/** Where groups are made and the files of their limits: of the first and of the second version of control groups (Linux, cgroups(7)). */
const KINDS = [
  {
    root: '/sys/fs/cgroup/memory',
    limits: ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
    most: 'memory.max_usage_in_bytes',
  },
  { root: '/sys/fs/cgroup', limits: ['memory.max'], most: 'memory.peak' },
];

const groups: string[] = [];
const folders: string[] = [];
const servers: ChildProcess[] = [];

after(async () => {
  for (const server of servers)
    if (server.exitCode === null && server.signalCode === null) {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
  for (const group of groups) await eventually(() => rmdirSync(group) === undefined);
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A group of so much memory, swap included; undefined where none can be made. */
function groupOf(bytes: number): { readonly path: string; readonly most: string } | undefined {
  for (const { root, limits, most } of KINDS) {
    const path = join(root, `pulse-test-${process.pid}-${bytes}`);
    try {
      mkdirSync(path);
      groups.push(path);
      writeFileSync(join(path, limits[0]!), String(bytes));
      for (const limit of limits.slice(1))
        if (existsSync(join(path, limit))) writeFileSync(join(path, limit), String(bytes));
      return { path, most };
    } catch {
      // The other version, or no rights.
    }
  }
  return undefined;
}

/** Starts the service with the shipped data in a group. */
async function startIn(group: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'pulse-small-'));
  folders.push(dataDir);
  const port = await freePort();
  const server = spawn(
    'sh',
    ['-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group, process.execPath, 'src/cli/main.ts', 'serve'],
    {
      env: {
        ...pulseEnvironment,
        ...MANY_ANONYMOUS,
        PULSE_DATA_DIR: dataDir,
        PULSE_PORT: String(port),
        PULSE_WORKERS: '1',
        PULSE_FEEDS: 'off',
      },
    },
  );
  servers.push(server);
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  return { base: `http://127.0.0.1:${port}`, dataDir, said: () => said, server };
}

let isPossible = false;
before(() => {
  isPossible = groupOf(64 * MIB) !== undefined;
});

test('1 GiB is enough for the first start with the shipped data, an import and answers', async (t) => {
  if (!isPossible) return t.skip('no control group of memory can be made here');
  const group = groupOf(1024 * MIB)!;
  const { base, dataDir, said, server } = await startIn(group.path);
  await eventually(
    async () =>
      server.exitCode !== null || server.signalCode !== null || (await fetch(`${base}/healthz`)).status === 200,
    { withinMs: 180_000, everyMs: 200, hint: said },
  );
  const file = join(dataDir, 'captures.ndjson');
  const captured_at = new Date(Date.now() - 60_000).toISOString();
  const rows = Array.from({ length: 100_000 }, (_, i) =>
    JSON.stringify({ ip: `${20 + (i >> 14)}.${(i >> 6) & 255}.${i & 63}.9`, risk_type: 'proxy', captured_at }),
  );
  writeFileSync(file, rows.join('\n'));
  pulseJson(dataDir, ['evidence', 'import', file, '--source', 'small', '--since', captured_at]);
  await eventually(async () => (await (await fetch(`${base}/v1/ip/20.1.1.9`)).text()).includes('"active"'), {
    hint: said,
  });
  const most = Number(readFileSync(join(group.path, group.most), 'utf8'));
  assert.ok(most <= 1024 * MIB, `${most / MIB} MiB`);
  assert.equal(server.signalCode, null, said());
});

test('with less memory, a warning comes before the build of place data is tried', async (t) => {
  if (!isPossible) return t.skip('no control group of memory can be made here');
  const { said } = await startIn(groupOf(512 * MIB)!.path);
  await eventually(() => /takes about \d+ MB of memory, and \d+ MB are free: give the service 1 GB/.test(said()), {
    hint: said,
  });
});

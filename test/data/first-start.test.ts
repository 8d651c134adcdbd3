/** The first start of a service with the shipped data builds its image from nothing. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { geoImagePath, geoImages } from '../../src/main/place-data/current-geo-image.ts';
import { pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { MANY_ANONYMOUS, pulseEnvironment } from '../support/pulse-environment.ts';
import { REAL_DATA } from '../support/real-data.ts';
import { testFolder } from '../support/test-folder.ts';

const MIB = 2 ** 20;
/**
 * Folders in which groups are made and files of their limits, of the first and the second version of control
 * groups (Linux, cgroups(7)).
 */
const KINDS = [
  { root: '/sys/fs/cgroup/memory', limits: ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'] },
  { root: '/sys/fs/cgroup', limits: ['memory.max'] },
];
const groups: string[] = [];

/** A group of so much memory, swap included; undefined where a plain user lacks the rights. */
function groupOf(bytes: number): string | undefined {
  for (const { root, limits } of KINDS) {
    const path = join(root, `pulse-test-${process.pid}-${bytes}`);
    try {
      mkdirSync(path);
      groups.push(path);
      writeFileSync(join(path, limits[0]!), String(bytes));
      for (const limit of limits.slice(1))
        if (existsSync(join(path, limit))) writeFileSync(join(path, limit), String(bytes));
      return path;
    } catch {
      // The other version, or no rights.
    }
  }
  return undefined;
}

/** A program in a group. */
const inGroup = (group: string, ...command: readonly string[]): readonly string[] => [
  '-c',
  'echo $$ > "$0/cgroup.procs" && exec "$@"',
  group,
  ...command,
];

/**
 * A service that starts with the shipped data for the first time, on a machine of 1 GiB where a group can
 * stand for one.
 */
const group = groupOf(1024 * MIB);
const dataDir = testFolder('first-start');
let base: string;
let server: ChildProcess;
let said = '';
before(
  async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const command = [process.execPath, 'src/cli/main.ts', 'serve'];
    const env = {
      ...pulseEnvironment,
      ...MANY_ANONYMOUS,
      PULSE_DATA_DIR: dataDir,
      PULSE_PORT: String(port),
      PULSE_WORKERS: '1',
      PULSE_FEEDS: 'off',
    };
    server = spawn('sh', group === undefined ? ['-c', 'exec "$0" "$@"', ...command] : inGroup(group, ...command), {
      env,
    });
    for (const stream of [server.stdout!, server.stderr!]) stream.on('data', (chunk) => (said += String(chunk)));
    await eventually(
      async () =>
        server.exitCode !== null || server.signalCode !== null || (await fetch(`${base}/readyz`)).status === 200,
      { withinMs: 900_000, everyMs: 500, hint: () => said },
    );
    assert.equal(server.exitCode ?? server.signalCode, null, said);
    // Other tests of the shipped data read this image, and later runs.
    const { current } = await geoImages(dataDir).read();
    mkdirSync(join(REAL_DATA, 'images'), { recursive: true });
    copyFileSync(geoImagePath(dataDir, current!), geoImagePath(REAL_DATA, current!));
    await geoImages(REAL_DATA).replace(current!);
    // The build takes a minute of processor time, which a busy machine may not have for long.
  },
  { timeout: 1_000_000 },
);
after(async () => {
  server.kill('SIGKILL');
  if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  for (const path of groups) await eventually(() => rmdirSync(path) === undefined);
});

test('1 GiB is enough for the first start with the shipped data, an import and answers', async (t) => {
  const file = join(dataDir, 'captures.ndjson');
  const captured_at = new Date(Date.now() - 60_000).toISOString();
  const rows = Array.from({ length: 20_000 }, (_, i) =>
    JSON.stringify({ ip: `${20 + (i >> 14)}.${(i >> 6) & 255}.${i & 63}.9`, risk_type: 'proxy', captured_at }),
  );
  writeFileSync(file, rows.join('\n'));
  pulseJson(dataDir, ['evidence', 'import', file, '--source', 'small', '--since', captured_at]);
  await eventually(async () => (await (await fetch(`${base}/v1/ip/20.1.1.9`)).text()).includes('"active"'), {
    hint: () => said,
  });
  assert.equal(server.signalCode, null, said);
  server.kill('SIGKILL');
  if (group === undefined) t.skip('no control group of memory can be made here');
});

test('a build counts with the memory that a group has left, not with that of the machine', (t) => {
  const small = groupOf(512 * MIB);
  if (small === undefined) return t.skip('no control group of memory can be made here');
  const { stdout } = spawnSync('sh', inGroup(small, process.execPath, '-p', 'process.availableMemory()'), {
    encoding: 'utf8',
  });
  assert.ok(Number(stdout) > 0 && Number(stdout) < 512 * MIB, stdout);
});

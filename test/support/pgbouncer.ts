/** A real PgBouncer in transaction mode, with its defaults otherwise, in front of one database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { unprivilegedUser } from './postgres.ts';

export interface PgBouncer {
  /** The address of the database by way of the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** @param databaseUrl as `createDatabase` of a test server returns it */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer | { readonly skip: string }> {
  const program = findProgram('pgbouncer', 'pgbouncer');
  if (program === undefined) return { skip: 'PgBouncer is not installed and cannot be installed here' };
  const { hostname, port: serverPort, pathname, username } = new URL(databaseUrl);
  const dir = mkdtempSync(join(tmpdir(), 'pulse-pgbouncer-'));
  const port = await freePort();
  const settings = join(dir, 'pgbouncer.ini');
  writeFileSync(join(dir, 'users.txt'), `"${username}" ""\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(dir, 'users.txt')}
pool_mode = transaction
default_pool_size = 6
`,
  );
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(dir, user.uid, user.gid);
  const child = spawn(program, [settings], { ...user, cwd: dir, stdio: 'ignore' });
  const killHard = (): void => void child.kill('SIGKILL');
  process.on('exit', killHard);
  await eventually(() => answers(port, child), { hint: () => `PgBouncer did not start: ${child.exitCode}` });
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      killHard();
      await gone;
      process.off('exit', killHard);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function answers(port: number, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`PgBouncer ended with status ${child.exitCode}`);
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

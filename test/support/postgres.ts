/**
 * A real PostgreSQL for tests: a throw-away cluster in a temporary folder on a free loopback port, stopped
 * and removed afterwards. Installs the Debian package when the binaries are missing and apt-get may be used;
 * otherwise `startPostgres` says why it cannot and tests skip.
 */
import { type ChildProcess, type ExecFileSyncOptions, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.ts';
import { install } from './install.ts';

export interface PostgresServer {
  readonly port: number;
  /** Creates an empty database and returns its postgres:// address. */
  createDatabase(): Promise<string>;
  /**
   * Stops the server at once, as a crash would, and keeps the cluster; `start` brings it back on the same
   * port.
   */
  stop(): Promise<void>;
  start(): Promise<void>;
  /**
   * Freezes every process of the server: it keeps its connections, takes new ones and answers nothing until
   * `resume`.
   */
  freeze(): void;
  resume(): void;
  /** Opens a port that leads to the server and delays every packet in each direction. */
  slowWay(delayMs: number): Promise<SlowWay>;
  dispose(): Promise<void>;
}

export interface SlowWay {
  readonly port: number;
  delay(ms: number): void;
  close(): void;
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

let shared: ReturnType<typeof startPostgres> | undefined;

/**
 * All test files that this process takes share this cluster: each makes databases of its own in it and leaves
 * it running. It ends with the process.
 */
export function sharedPostgres(): ReturnType<typeof startPostgres> {
  shared ??= startPostgres();
  return shared;
}

/** Starts a cluster, or returns the reason why none can be had here, for `t.skip`. */
export async function startPostgres(): Promise<PostgresServer | { readonly skip: string }> {
  const bin = findBinaries() ?? install('postgresql', findBinaries);
  if (bin === undefined) return { skip: 'PostgreSQL is not installed and cannot be installed here' };
  const user = unprivilegedUser();
  const dir = mkdtempSync(join(tmpdir(), 'pulse-pg-'));
  if (user !== undefined) chownSync(dir, user.uid, user.gid);
  const data = join(dir, 'data');
  const port = await freePort();
  let child: ChildProcess | undefined;
  let databases = 0;
  const killHard = (): void => {
    child?.kill('SIGQUIT');
    rmSync(dir, { recursive: true, force: true, maxRetries: 20 });
  };
  process.on('exit', killHard);

  const start = async (): Promise<void> => {
    const settings = ['fsync=off', 'full_page_writes=off', 'shared_buffers=32MB', 'unix_socket_directories='];
    const started = spawn(
      join(bin, 'postgres'),
      ['-D', data, '-h', '127.0.0.1', '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      {
        ...user,
        cwd: dir,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    let log = '';
    started.stderr?.on('data', (chunk: Buffer) => {
      log = `${log}${chunk.toString()}`.slice(-4000);
    });
    child = started;
    // A shared cluster must not keep the process alive.
    started.unref();
    (started.stderr as Socket).unref();
    await untilAnswering(port, started, () => log);
  };
  /**
   * The postmaster is first, so that no process is made behind the signal; each backend has a process group
   * of its own.
   */
  const signalAll = (signal: NodeJS.Signals): void => {
    const pid = child?.pid;
    if (pid === undefined) return;
    process.kill(pid, signal);
    for (const backend of childrenOf(pid)) {
      try {
        process.kill(backend, signal);
      } catch (error) {
        // A backend may end between the list and the signal, because its client gave the connection up.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  };
  const stop = async (): Promise<void> => {
    const running = child;
    if (running !== undefined && running.exitCode === null && running.signalCode === null) signalAll('SIGCONT');
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    running.ref();
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGQUIT');
    await gone;
  };
  const address = (database: string): string => `postgres://pulse@127.0.0.1:${port}/${database}`;

  const dispose = async (): Promise<void> => {
    await stop();
    process.off('exit', killHard);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    makeCluster(join(bin, 'initdb'), data, { ...user, cwd: dir, stdio: 'pipe' });
    await start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    port,
    start,
    stop,
    freeze: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    slowWay: (delayMs) => slowWay(port, delayMs),
    async createDatabase() {
      databases += 1;
      const name = `pulse_${databases}`;
      await run(address('postgres'), `create database ${name}`);
      return address(name);
    },
    dispose,
  };
}

/** Makes the files of a cluster. The first of a run are kept in its folder: copying them takes a tenth of the time. */
function makeCluster(initdb: string, data: string, options: ExecFileSyncOptions): void {
  const queue = process.env['PULSE_TEST_QUEUE'];
  const kept = queue && join(dirname(queue), 'postgres');
  const copy = (from: string, to: string) => execFileSync('cp', ['-R', from, to], options);
  if (kept !== undefined && existsSync(kept)) {
    copy(kept, data);
    return;
  }
  const settings = ['-U', 'pulse', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(initdb, ['-D', data, ...settings], options);
  if (kept === undefined) return;
  copy(data, `${data}.copy`);
  try {
    renameSync(`${data}.copy`, kept);
  } catch (error) {
    // Another process was first; this copy goes with the folder.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

async function slowWay(port: number, delayMs: number): Promise<SlowWay> {
  let ms = delayMs;
  const open = new Set<Socket>();
  /** Packets stay in order, also when the delay becomes smaller. */
  const pass = (from: Socket, to: Socket): void => {
    let last = Promise.resolve();
    const later = (work: () => void): void => {
      const due = new Promise((resolve) => setTimeout(resolve, ms));
      last = last.then(() => due).then(work);
    };
    from.on('data', (bytes) => later(() => void to.write(bytes)));
    from.on('close', () => later(() => void to.destroy()));
    from.on('error', () => {});
    open.add(from);
  };
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    pass(client, server);
    pass(server, client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    delay: (next) => {
      ms = next;
    },
    close() {
      proxy.close();
      for (const socket of open) socket.destroy();
    },
  };
}

function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const listed = existsSync(file)
    ? readFileSync(file, 'utf8')
    : spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout;
  return listed
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(Number);
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function untilAnswering(port: number, child: ChildProcess, log: () => string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    if (child.exitCode !== null || attempt > 300) throw new Error(`PostgreSQL did not start: ${log()}`);
    try {
      await run(`postgres://pulse@127.0.0.1:${port}/postgres`, 'select 1');
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function findBinaries(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find(
    (folder) => folder !== '' && existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
}

/** initdb refuses to run as root; undefined means that the present user will do. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const rows = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const row = rows.find(([name]) => name === 'postgres') ?? rows.find(([name]) => name === 'nobody');
  if (row === undefined) throw new Error('root needs the user `postgres` or `nobody` to start PostgreSQL as');
  return { uid: Number(row[2]), gid: Number(row[3]) };
}

async function evidenceTables(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    and relname like 'evidence%' and relname <> 'evidence_schema' order by oid`);
  return rows.map(({ name }) => name);
}

export async function emptyEvidenceTables(client: Client): Promise<void> {
  const names = (await evidenceTables(client)).toReversed();
  await client.query(`begin; drop schema if exists saved cascade; ${names.map((name) => `delete from ${name}`).join('; ')};
    insert into evidence_identity (store) values (gen_random_uuid()::text); commit`);
}

/**
 * Keeps a copy of the evidence tables.
 * @returns a function that puts it in their place in one transaction, as restoring a dump does
 */
export async function saveEvidenceTables(url: string): Promise<() => Promise<void>> {
  const inDatabase = async (work: (client: Client) => Promise<void>): Promise<void> => {
    const client = new Client(url);
    await client.connect();
    await work(client).finally(() => client.end());
  };
  let tables: readonly string[] = [];
  await inDatabase(async (client) => {
    tables = await evidenceTables(client);
    await client.query('create schema saved');
    for (const name of tables) await client.query(`create table saved.${name} as table public.${name}`);
  });
  return () =>
    inDatabase(async (client) => {
      await client.query(`begin; truncate ${tables.map((name) => `public.${name}`).join(', ')}`);
      for (const name of tables)
        await client.query(`insert into public.${name} overriding system value table saved.${name}`);
      await client.query('commit');
    });
}

/**
 * Commands as a person stops them: Ctrl-C on a terminal reaches npm, its shell, the starter and the command,
 * and npm and the starter pass it on as well; a supervisor signals one of them, or all. No process stays, no
 * half file, and captures that a command holds are kept.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { writeEmptyEvidence } from '../support/empty-evidence.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NODE = process.execPath;
const STARTER = join(ROOT, 'bin/pulse.mjs');
const skip =
  process.platform !== 'linux'
    ? 'needs /proc of Linux'
    : !existsSync('/usr/bin/script')
      ? 'needs script of util-linux'
      : false;
/** Only a process that hangs takes this long. */
const WITHIN = { withinMs: 120_000, everyMs: 100 };

const ADDRESS = '198.14.7.9';
const OLD = 'as it was\n';
const LINES = '8.8.8.8 - - [22/Nov/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "x"\n'.repeat(500);

/**
 * A publisher that never answers. Each run asks under a path of its own: commands at work at the same time
 * are told apart.
 */
const asked: string[] = [];
const publisher = createServer(({ url = '' }) => void asked.push(url));
const folders: string[] = [];
before(async () => void (await once(publisher.listen(0, '127.0.0.1'), 'listening')));
after(() => {
  for (const folder of folders) {
    for (const { pid } of processesOf(folder)) process.kill(pid, 'SIGKILL');
  }
  publisher.closeAllConnections();
  publisher.close();
});

/** A command that runs over a folder of its own, which holds `data`, a pipe, a log and a file that may be replaced. */
interface Run {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly port: number;
  readonly said: () => string;
  /** Fills the pipe. @returns bytes that were read from it */
  readonly feed: () => number;
  readonly closePipe: () => void;
}

interface Case {
  readonly words: (folder: string, port: number) => string;
  readonly isAtWork: (run: Run) => boolean | Promise<boolean>;
  /** The stop ends the command early; otherwise it is how the command ends. */
  readonly cut?: true;
  /** Conditions afterwards. */
  readonly check?: (run: Run) => void;
}

const outOf = ({ folder }: Pick<Run, 'folder'>): string => readFileSync(join(folder, 'out'), 'utf8');
const isAsItWas = (run: Run): void => assert.equal(outOf(run), OLD);
const hasCapture = ({ folder }: Run): void => {
  const { stdout, stderr } = pulseCommand(['lookup', ADDRESS, '--professional'], {
    env: { PULSE_DATA_DIR: join(folder, 'data') },
  });
  assert.match(stdout, /"evidence_state": ?"active"/, stderr);
};

const CASES: Readonly<Record<string, Case>> = {
  serve: {
    words: () => 'serve',
    isAtWork: ({ said }) => said().includes('ready on') && /read the manual|account create --operator/.test(said()),
  },
  enrich: {
    words: (folder) => `enrich ${folder}/pipe --out ${folder}/out`,
    isAtWork: ({ feed, folder }) => feed() > 0 && partsOf(folder).length === 1,
    cut: true,
    check: isAsItWas,
  },
  summarize: {
    words: (folder) => `summarize ${folder}/pipe --html ${folder}/out`,
    isAtWork: ({ feed }) => feed() > 0,
    cut: true,
    check: isAsItWas,
  },
  export: {
    words: (folder) => `export --format csv --out ${folder}/out --watch`,
    isAtWork: (run) => outOf(run) !== OLD,
  },
  'evidence follow': {
    words: (folder) => `evidence follow ${folder}/log --format sshd --attempts 1 --local --interval 1`,
    isAtWork: ({ folder }) =>
      pulseCommand(['evidence', 'sources', '--json'], {
        env: { PULSE_DATA_DIR: join(folder, 'data') },
      }).stdout.includes('sshd-log'),
    check: hasCapture,
  },
  sensor: {
    words: (_folder, port) => `sensor --host 127.0.0.1 --listen ${port}/telnet --proxy-protocol 127.0.0.1 --local`,
    isAtWork: async ({ said, port }) => said().includes('sensor listens') && (await tryPassword(port)),
    check: hasCapture,
  },
  'feeds refresh': {
    words: () => 'feeds refresh tor-bulk-exits',
    isAtWork: ({ folder }) => asked.some((path) => path.startsWith(`/${basename(folder)}/`)),
    cut: true,
  },
};

/** Prepares a folder and starts a command in it. @param line the words of `pulse` become a command and its arguments */
async function start({ words, isAtWork }: Case, line: (words: string) => readonly [string, ...string[]]): Promise<Run> {
  const folder = testFolder('stop');
  folders.push(folder);
  const port = await freePort();
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  writeSyntheticGeo(join(folder, 'data'));
  writeEmptyEvidence(join(folder, 'data'));
  writeFileSync(join(folder, 'out'), OLD);
  writeFileSync(
    join(folder, 'log'),
    `${new Date().toISOString()} host sshd[1]: Failed password for invalid user admin from ${ADDRESS} port 4000 ssh2\n`,
  );
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const env = {
    ...pulseEnvironment,
    PULSE_DATA_DIR: join(folder, 'data'),
    PULSE_FEEDS: words(folder, port).startsWith('feeds')
      ? `http://127.0.0.1:${(publisher.address() as AddressInfo).port}/${basename(folder)}`
      : 'off',
    PULSE_PORT: String(port),
    PULSE_METRICS: 'off',
    PULSE_PHONE: 'off',
    PULSE_WORKERS: '1',
  };
  const [command, ...args] = line(words(folder, port));
  const child = spawn(command, args, { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  let text = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (text += String(chunk)));
  child.stdin!.on('error', () => undefined);
  // A pipe with both ends open: neither opening nor writing waits. It stays open until no process is left,
  // for its end would be that of the log.
  const pipe = openSync(join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK);
  let fed = 0;
  const feed = (): number => {
    try {
      for (;;) fed += writeSync(pipe, LINES);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
    return fed - PIPE_BYTES;
  };
  const run: Run = { child, folder, port, said: () => text, feed, closePipe: () => closeSync(pipe) };
  await eventually(() => child.exitCode !== null || isAtWork(run), { ...WITHIN, hint: () => text });
  assert.equal(child.exitCode, null, text);
  return run;
}
const PIPE_BYTES = 65_536;

/** Waits until no process works over the folder, and looks at the rest. @returns exit status */
async function ended(run: Run, { check }: Case): Promise<number | null> {
  const { child, folder, said } = run;
  if (child.exitCode === null && child.signalCode === null)
    await once(child, 'exit', { signal: AbortSignal.timeout(WITHIN.withinMs) });
  await eventually(() => processesOf(folder).length === 0, {
    ...WITHIN,
    hint: () => JSON.stringify(processesOf(folder)),
  });
  run.closePipe();
  assert.deepEqual(partsOf(folder), [], said());
  check?.(run);
  return child.exitCode;
}

const partsOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.part'));

/** Processes that work over a folder. */
function processesOf(folder: string): { readonly pid: number; readonly command: string }[] {
  const read = (pid: string, name: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'utf8');
    } catch {
      // It ended, or is another user's.
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(name, 'environ').includes(`PULSE_DATA_DIR=${folder}/data`))
    .map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline').replaceAll('\0', ' ') }));
}

/** Tries one password over telnet, as a client of the load balancer that the sensor trusts. */
async function tryPassword(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += String(chunk)));
  socket.write(`PROXY TCP4 ${ADDRESS} 127.0.0.1 40000 ${port}\r\nadmin\r\nadmin\r\n`);
  await eventually(() => answer.includes('Login incorrect'), { hint: () => answer });
  socket.destroy();
  return true;
}

const byStarter = (words: string): readonly [string, ...string[]] => [NODE, STARTER, ...words.split(' ')];
const byNpm = (words: string): readonly [string, ...string[]] =>
  words === 'serve' ? ['npm', 'start'] : ['npx', 'pulse', ...words.split(' ')];
const onTerminal =
  (line: (words: string) => readonly [string, ...string[]]) =>
  (words: string): readonly [string, ...string[]] => ['script', '-qefc', `exec ${line(words).join(' ')}`, '/dev/null'];

describe('one stop, however many processes pass it on', { skip, concurrency: 3 }, () => {
  for (const [name, one] of Object.entries(CASES)) {
    test(`Ctrl-C on a terminal: ${name}${name === 'serve' ? ', which shows the link for the first operator and the next steps there' : ''}`, async () => {
      const throughNpm = name === 'serve' || name === 'enrich';
      const run = await start(one, onTerminal(throughNpm ? byNpm : byStarter));
      run.child.stdin!.write('\x03');
      const status = await ended(run, one);
      // npm has a status of its own after a signal.
      if (!throughNpm) assert.equal(status, one.cut === true ? 130 : 0, run.said());
      if (name === 'serve') showsNextSteps(run.said());
    });
  }

  for (const name of ['serve', 'enrich']) {
    test(`SIGTERM to starter and command: ${name}${name === 'serve' ? ', whose log never has the link, but the command' : ''}`, async () => {
      const one = CASES[name]!;
      const run = await start(one, byStarter);
      process.kill(-run.child.pid!, 'SIGTERM');
      assert.equal(await ended(run, one), one.cut === true ? 143 : 0, run.said());
      if (name === 'serve') {
        assert.doesNotMatch(run.said(), /token=/);
        assert.match(run.said(), /^\{"level":30.*there is no operator yet.*account create --operator/m);
      }
    });
  }

  for (const [name, target, signal] of [
    ['serve', 'npm', 'SIGTERM'],
    ['enrich', 'npm', 'SIGTERM'],
    ['summarize', 'npm', 'SIGTERM'],
    ['enrich', 'starter', 'SIGINT'],
    ['enrich', 'starter', 'SIGTERM'],
    ['enrich', 'starter', 'SIGHUP'],
    ['enrich', 'starter', 'SIGKILL'],
  ] as const)
    test(`${signal} to ${target} alone: ${name}`, async () => {
      const one = CASES[name]!;
      const run = await start(one, target === 'npm' ? byNpm : byStarter);
      run.child.kill(signal);
      await ended(run, one);
    });
});

test('npm that ends before the starter looks for it is missed all the same', { skip }, async () => {
  const folder = testFolder('stop');
  folders.push(folder);
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  writeSyntheticGeo(join(folder, 'data'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const pipe = openSync(join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK);
  const env = { ...pulseEnvironment, PULSE_DATA_DIR: join(folder, 'data'), npm_lifecycle_event: 'npx' };
  const line = `"${NODE}" "${STARTER}" summarize "${folder}/pipe" --place-only &`;
  const shell = spawn('sh', ['-c', line], { cwd: ROOT, env, stdio: 'ignore', detached: true });
  await once(shell, 'exit');
  assert.ok(processesOf(folder).length > 0, 'the shell ends first');
  await eventually(() => processesOf(folder).length === 0, WITHIN);
  closeSync(pipe);
});

function showsNextSteps(said: string): void {
  assert.doesNotMatch(said, /"level":/, 'the log speaks sentences');
  const [, base] = /(http:\S+)\/console\/first-operator#token=[\w-]{43}\s/.exec(said) ?? [];
  const steps = [...said.matchAll(/^ {2}\d\. (.*?)\r?$/gm)].map(([, step]) => step!);
  for (const [index, part] of [
    `${base}/console/keys`,
    '/v1/ip/8.8.8.8',
    `${base}/mcp/account`,
    'PULSE_FEEDS=auto',
    'npx pulse sensor',
    `${base}/docs`,
  ].entries())
    assert.ok(steps[index + 1]?.includes(part), said);
}

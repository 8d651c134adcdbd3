import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { CommandRequest } from './command-worker.ts';
import { eventually } from './eventually.ts';
import { pulseEnvironment } from './pulse-environment.ts';
import type { ServeProcess } from './serve-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Only a command that hangs takes this long. */
const COMMAND_MS = 120_000;

let thread: ((request: CommandRequest) => CommandResult) | undefined;

/**
 * Runs the command line in a thread that is kept for the next command: the entry, its options and its exit
 * status are those of a process, which costs about ten times as much. Work for a process is left to
 * `pulseProcess`: signals, streams that end early, and `serve`, whose locks end with its process.
 */
export function pulseCommand(line: CommandLine, options: CommandOptions = {}): CommandResult {
  thread ??= startThread();
  return thread({ args: wordsOf(line), env: environment(options), input: options.input ?? '' });
}

export type CommandLine = string | readonly string[];
const wordsOf = (line: CommandLine): readonly string[] => (typeof line === 'string' ? line.split(' ') : line);

export const pulseOver = (dataDir: string, line: CommandLine, input = ''): CommandResult =>
  pulseCommand(line, { env: { PULSE_DATA_DIR: dataDir }, input });

export function pulseProcess(line: CommandLine, options: CommandOptions = {}): CommandResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...wordsOf(line)], {
    encoding: 'utf8',
    input: options.input ?? '',
    env: environment(options),
  });
  return { status, stdout, stderr };
}

const environment = ({ env }: CommandOptions): Record<string, string> => ({
  ...pulseEnvironment,
  PULSE_FEEDS: 'off',
  ...env,
});

function startThread(): (request: CommandRequest) => CommandResult {
  const { port1: here, port2: there } = new MessageChannel();
  const done = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('./command-worker.ts', import.meta.url), {
    workerData: { port: there, done },
    transferList: [there],
  });
  worker.unref();
  return (order) => {
    Atomics.store(done, 0, 0);
    here.postMessage(order);
    Atomics.wait(done, 0, 0, COMMAND_MS);
    const answer = receiveMessageOnPort(here);
    if (answer === undefined) {
      // A late answer would come to the next command.
      thread = undefined;
      throw new Error(`pulse ${order.args.join(' ')} did not end within ${COMMAND_MS} ms`);
    }
    return answer.message as CommandResult;
  };
}

/** Threads hear of a change one by one, at most this far apart. */
const EVERY_THREAD_MS = 400;

/**
 * Asks again until the answer holds: a running server sees the writes of a command within two seconds. The
 * next request may be another thread's, so that this returns when that one has heard of the change too.
 */
export async function seenByThreads<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  let answer: T | undefined;
  const attempt = async (): Promise<boolean> => {
    answer = await ask();
    return holds(answer);
  };
  await eventually(attempt, { everyMs: 50, hint: () => `the last answer: ${JSON.stringify(answer)}` });
  await setTimeout(EVERY_THREAD_MS);
  return answer as T;
}

/**
 * Moves the server's clock into the next minute when its minute is nearly over, so that later requests fall into
 * one. Counts of a minute are the clock minute's.
 */
export async function clearOfMinuteEnd(server: ServeProcess, neededSec = 10): Promise<void> {
  const leftMs = 60_000 - (server.now() % 60_000);
  if (leftMs < neededSec * 1000) await server.moveClock(leftMs + 200);
}

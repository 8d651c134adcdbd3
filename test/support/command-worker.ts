/**
 * Runs `pulse` again and again in one thread. Each command evaluates the command line's entry with its own
 * arguments, environment and standard input; the modules below it are loaded by the first command alone,
 * which is most of the cost of a process.
 */
import { Readable } from 'node:stream';
import { type MessagePort, workerData } from 'node:worker_threads';
import type { CommandResult } from './pulse-command.ts';

export interface CommandRequest {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

const { port, done } = workerData as { readonly port: MessagePort; readonly done: Int32Array };
const ENTRY = new URL('../../src/cli/main.ts', import.meta.url).href;
let runs = 0;
let written = { stdout: '', stderr: '' };
// Every run listens to what a process would have of its own.
process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
for (const name of ['stdout', 'stderr'] as const)
  process[name].write = ((chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    for (const callback of rest) if (typeof callback === 'function') queueMicrotask(() => callback());
    return true;
  }) as typeof process.stdout.write;

port.on('message', async (request: CommandRequest) => {
  port.postMessage(await run(request));
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
});

async function run({ args, env, input }: CommandRequest): Promise<CommandResult> {
  written = { stdout: '', stderr: '' };
  process.argv = [process.execPath, ENTRY, ...args];
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.defineProperty(process, 'stdin', {
    value: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    configurable: true,
  });
  process.exitCode = undefined;
  try {
    await import(`${ENTRY}?run=${++runs}`);
    return { status: Number(process.exitCode ?? 0), ...written };
  } catch (error) {
    return { status: null, stdout: written.stdout, stderr: `${written.stderr}${(error as Error).stack}` };
  }
}

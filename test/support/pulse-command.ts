import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pulseEnvironment } from './pulse-environment.ts';
import type { ServeProcess } from './serve-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `pulse` as its users do and says how it ended. */
export function pulseCommand(
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {},
): CommandResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...args], {
    encoding: 'utf8',
    input: options.input ?? '',
    env: { ...pulseEnvironment, PULSE_FEEDS: 'off', ...options.env },
  });
  return { status, stdout, stderr };
}

/** Threads hear of a change one by one, at most this far apart. */
const EVERY_THREAD_MS = 400;

/**
 * Asks again until the answer holds or two seconds are over: what a command writes is seen by a running server within that time. The next request may be
 * another thread's: it is not sent before that one has heard of the change too.
 */
export async function withinTwoSeconds<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  const until = performance.now() + 2000;
  for (;;) {
    const answer = await ask();
    const held = holds(answer);
    if (held) await setTimeout(EVERY_THREAD_MS);
    if (held || performance.now() > until) return answer;
    await setTimeout(50);
  }
}

/** Moves the server's clock into the next minute when its minute is nearly over, so that what follows falls into one: counts of a minute are the clock minute's. */
export async function clearOfMinuteEnd(server: ServeProcess, neededSec = 10): Promise<void> {
  const leftMs = 60_000 - (server.now() % 60_000);
  if (leftMs < neededSec * 1000) await server.moveClock(leftMs + 200);
}

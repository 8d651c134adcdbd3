import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

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
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'src/apps/cli/main.ts'), ...args], {
    encoding: 'utf8',
    input: options.input ?? '',
    env: { PATH: process.env['PATH'] ?? '', PULSE_FEEDS: 'off', ...options.env },
  });
  return { status, stdout, stderr };
}

/** Asks again until the answer holds or two seconds are over: what a command writes is seen by a running server within that time. */
export async function withinTwoSeconds<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  const until = performance.now() + 2000;
  for (;;) {
    const answer = await ask();
    if (holds(answer) || performance.now() > until) return answer;
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Waits for the next clock minute when this one is nearly over, so that what follows falls into one. */
export async function clearOfMinuteEnd(neededSec = 10): Promise<void> {
  const second = (Date.now() / 1000) % 60;
  if (second > 60 - neededSec) await new Promise((done) => setTimeout(done, (60.2 - second) * 1000));
}

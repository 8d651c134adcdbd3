import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { eventually } from '../../../test/support/eventually.ts';
import { testFolder } from '../../../test/support/test-folder.ts';

const url = (path: string): string => pathToFileURL(join(import.meta.dirname, path)).href;
/** Only a process that hangs takes this long. */
const HANG_MS = 20_000;

/**
 * A process that was started over a channel, as `npx pulse` starts its commands, with a file that it has
 * begun. It says `at work`, and echoes messages.
 */
function started(script: string, folder: string): ChildProcess {
  const begin = `
    import { writeFileSync } from 'node:fs';
    import { watchForStop, stopRequested, untilStopped } from '${url('stop-requested.ts')}';
    import { beginPart, endPart } from '${url('../../adapters/system/write-durably.ts')}';
    watchForStop();
    const part = beginPart('file');
    const work = () => {
      writeFileSync(part, 'half');
      process.stdin.on('data', (text) => process.stdout.write(text));
      process.stdout.write('at work');
    };`;
  return spawn(process.execPath, ['--input-type=module', '-e', `${begin}${script}`], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  });
}
const ended = (child: ChildProcess) => once(child, 'exit', { signal: AbortSignal.timeout(HANG_MS) });
const isSaid = async (child: ChildProcess, text: string): Promise<void> =>
  assert.equal(String((await once(child.stdout!, 'data'))[0]), text);

for (const [title, script, work] of [
  [
    'a command whose work is done ends, though it listens for a stop and has a channel',
    'stopRequested();',
    async () => [0, null],
  ],
  [
    'a command stops when the process that started it is gone',
    'const stopping = stopRequested(); work(); await untilStopped(stopping); await endPart(part); process.exit(stopping.reason.exitStatus);',
    async (child: ChildProcess) => {
      await isSaid(child, 'at work');
      child.disconnect();
      return [143, null];
    },
  ],
  [
    'copies of one stop are one; a second one ends the command at once, without the file that it has begun, though a thread waits for a pipe',
    `stopRequested(); work();
     import('node:child_process').then(({ execFileSync }) => {
       execFileSync('mkfifo', ['pipe']);
       import('node:fs').then(({ open }) => open('pipe', () => {}));
     });`,
    async (child: ChildProcess, parts: () => string[]) => {
      await isSaid(child, 'at work');
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const) child.kill(signal);
      child.stdin!.write('still here');
      await isSaid(child, 'still here');
      assert.equal(parts().length, 1);
      await eventually(() => !child.kill('SIGINT'));
      return [null, 'SIGINT'];
    },
  ],
  [
    'copies that come until the process is gone change nothing in how it ends',
    'const stopping = stopRequested(); work(); await untilStopped(stopping); await endPart(part); process.stdin.destroy();',
    async (child: ChildProcess) => {
      await isSaid(child, 'at work');
      await eventually(() => !child.kill('SIGTERM'), { everyMs: 0 });
      return [0, null];
    },
  ],
  [
    'a command that does not stop by itself ends at the first request, without the file that it has begun',
    'work();',
    async (child: ChildProcess) => {
      await isSaid(child, 'at work');
      child.kill('SIGTERM');
      return [null, 'SIGTERM'];
    },
  ],
] as const)
  test(title, async () => {
    const folder = testFolder('stop-requested');
    const parts = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.part'));
    const child = started(script, folder);
    const exit = ended(child);
    try {
      assert.deepEqual(await work(child, parts), await exit);
      assert.deepEqual(parts(), []);
    } finally {
      child.kill('SIGKILL');
    }
  });

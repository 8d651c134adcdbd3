import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const MODULE = pathToFileURL(join(import.meta.dirname, 'stop-requested.ts')).href;
/** Only a process that hangs meets it. */
const HANG_MS = 20_000;

/** A process that was started over a channel, as `npx pulse` starts its commands. */
const started = (script: string) =>
  spawn(process.execPath, ['--input-type=module', '-e', `import { stopRequested } from '${MODULE}'; ${script}`], {
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  });

test('a command whose work is done ends, though it would hear of a stop and has a channel', async () => {
  const child = started('void stopRequested();');
  try {
    assert.deepEqual(await once(child, 'exit', { signal: AbortSignal.timeout(HANG_MS) }), [0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a command that is at work stops when the process that started it is gone', async () => {
  const child = started("process.stdin.resume(); console.log('at work'); await stopRequested(); process.exit(7);");
  try {
    await once(child.stdout!, 'data');
    child.disconnect();
    assert.deepEqual(await once(child, 'exit', { signal: AbortSignal.timeout(HANG_MS) }), [7, null]);
  } finally {
    child.kill('SIGKILL');
  }
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-folder.ts';
import { lockFolder } from './folder-lock.ts';

test('a folder is held by one process at a time, until it lets go or is killed', async () => {
  const folder = join(testFolder('lock'), 'ledger');
  const code = `const { lockFolder } = await import(${JSON.stringify(import.meta.resolve('./folder-lock.ts'))});
    console.log((await lockFolder(${JSON.stringify(folder)}, 0)) === undefined ? 'refused' : 'held'); setInterval(() => {}, 1000);`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    assert.equal(String((await once(other.stdout, 'data'))[0]).trim(), 'held');
    assert.equal(await lockFolder(folder, 0), undefined);
    assert.equal(await lockFolder(folder, 250), undefined);
    other.kill('SIGKILL');
    const held = await lockFolder(folder, 10_000);
    assert.notEqual(held, undefined);
    assert.equal(await lockFolder(folder, 0), undefined, 'the same process is not an exception');
    held!.release();
    const again = await lockFolder(folder, 0);
    assert.notEqual(again, undefined);
    again!.release();
  } finally {
    other.kill('SIGKILL');
  }
});

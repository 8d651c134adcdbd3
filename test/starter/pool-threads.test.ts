import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const RUNTIME = pathToFileURL(resolve(import.meta.dirname, '../../scripts/runtime.mjs')).href;

/** As seen by a program that the starter runs: UV_THREADPOOL_SIZE. */
function seenBy(size: string | undefined): string {
  const { UV_THREADPOOL_SIZE: _, ...env } = process.env;
  const code = `import { runInstead } from '${RUNTIME}'; runInstead(process.execPath, ['-p', 'process.env.UV_THREADPOOL_SIZE']);`;
  const options = { encoding: 'utf8', env: size === undefined ? env : { ...env, UV_THREADPOOL_SIZE: size } } as const;
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], options).stdout.trim();
}

test('the pool has room for every hash that may run at once and four threads more, unless an operator sets it', () => {
  assert.equal(seenBy(undefined), String(4 + Math.max(1, Math.floor(availableParallelism() / 2))));
  assert.equal(seenBy('3'), '3');
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LARGE_BLOCK } from '../../scripts/runtime.mjs';

const RUNTIME = pathToFileURL(resolve(import.meta.dirname, '../../scripts/runtime.mjs')).href;

/** The variable as a program that the starter runs sees it. @param own the operator's */
function seenBy(name: string, own: string | undefined): string {
  const { [name]: _, ...env } = process.env;
  const code = `import { runInstead } from '${RUNTIME}'; runInstead(process.execPath, ['-p', 'process.env.${name}']);`;
  const options = { encoding: 'utf8', env: own === undefined ? env : { ...env, [name]: own } } as const;
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], options).stdout.trim();
}

test('the pool has room for every hash that may run at once and four threads more, unless an operator sets it', () => {
  assert.equal(
    seenBy('UV_THREADPOOL_SIZE', undefined),
    String(4 + Math.max(1, Math.floor(availableParallelism() / 2))),
  );
  assert.equal(seenBy('UV_THREADPOOL_SIZE', '3'), '3');
});

test('large blocks of memory are given back when they are free, unless an operator wants otherwise', () => {
  assert.equal(seenBy('MALLOC_MMAP_THRESHOLD_', undefined), String(LARGE_BLOCK));
  assert.equal(seenBy('MALLOC_MMAP_THRESHOLD_', '4096'), '4096');
});

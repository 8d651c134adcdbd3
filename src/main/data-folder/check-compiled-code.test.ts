import assert from 'node:assert/strict';
import { chmodSync, lchownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { checkCompiledCode } from './check-compiled-code.ts';

const OTHER_USER = 65_534;

function cacheFor(t: TestContext): string {
  const data = mkdtempSync(join(tmpdir(), 'pulse-cache-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const cache = join(data, 'cache');
  mkdirSync(join(cache, 'v26'), { recursive: true, mode: 0o700 });
  writeFileSync(join(cache, 'v26/code'), 'compiled');
  return cache;
}

describe('compiled code of the data folder', () => {
  test('is used when the folder and all in it are ours', (t) => {
    assert.equal(checkCompiledCode(cacheFor(t)), undefined);
  });

  test('a folder that is not there is made, closed to others', (t) => {
    const cache = join(cacheFor(t), 'data', 'cache');
    assert.equal(checkCompiledCode(cache), undefined);
    assert.equal(statSync(cache).mode & 0o777, 0o700);
  });

  test('a folder to which the group or others may write is refused', (t) => {
    const cache = cacheFor(t);
    for (const mode of [0o770, 0o702]) {
      chmodSync(cache, mode);
      assert.match(checkCompiledCode(cache) ?? '', /other users may write to .*cache$/);
    }
    chmodSync(cache, 0o755);
    assert.equal(checkCompiledCode(cache), undefined);
  });

  test('a link is refused, in place of the folder and inside it', (t) => {
    const cache = cacheFor(t);
    symlinkSync(tmpdir(), join(cache, 'v26/link'));
    assert.match(checkCompiledCode(cache) ?? '', /v26\/link is not a file or folder of this user/);
    symlinkSync(cache, join(cache, '../other'));
    assert.match(checkCompiledCode(join(cache, '../other')) ?? '', /is not a folder/);
  });

  test('a file of another user is refused, and so is a folder of another user', {
    skip: process.getuid?.() === 0 ? false : 'only root can give files away',
  }, (t) => {
    const cache = cacheFor(t);
    lchownSync(join(cache, 'v26/code'), OTHER_USER, OTHER_USER);
    assert.match(checkCompiledCode(cache) ?? '', /v26\/code is not a file or folder of this user/);
    lchownSync(cache, OTHER_USER, OTHER_USER);
    assert.match(checkCompiledCode(cache) ?? '', /cache is not a file or folder of this user/);
  });
});

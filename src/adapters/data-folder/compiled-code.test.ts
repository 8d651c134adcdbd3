import assert from 'node:assert/strict';
import { chmodSync, lchownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { testFolder } from '../../../test/support/test-folder.ts';
import { checkCompiledCode } from './compiled-code.mjs';

const OTHER_USER = 65_534;

function cacheFor(): string {
  const data = testFolder('cache');
  const cache = join(data, 'cache');
  mkdirSync(join(cache, 'v26'), { recursive: true, mode: 0o700 });
  writeFileSync(join(cache, 'v26/code'), 'compiled');
  return cache;
}

describe('compiled code of the data folder', () => {
  test('is used when the folder and all in it are ours', () => {
    assert.equal(checkCompiledCode(cacheFor()), undefined);
  });

  test('a folder that is not there is made, closed to others', () => {
    const cache = join(cacheFor(), 'data', 'cache');
    assert.equal(checkCompiledCode(cache), undefined);
    assert.equal(statSync(cache).mode & 0o777, 0o700);
  });

  test('a folder to which the group or others may write is refused', () => {
    const cache = cacheFor();
    for (const mode of [0o770, 0o702]) {
      chmodSync(cache, mode);
      assert.match(checkCompiledCode(cache) ?? '', /other users may write to .*cache$/);
    }
    chmodSync(cache, 0o755);
    assert.equal(checkCompiledCode(cache), undefined);
  });

  test('a link is refused, in place of the folder and inside it', () => {
    const cache = cacheFor();
    symlinkSync(tmpdir(), join(cache, 'v26/link'));
    assert.match(checkCompiledCode(cache) ?? '', /v26\/link is not a file or folder of this user/);
    symlinkSync(cache, join(cache, '../other'));
    assert.match(checkCompiledCode(join(cache, '../other')) ?? '', /is not a folder/);
  });

  test('a file of another user is refused, and so is a folder of another user', {
    skip: process.getuid?.() === 0 ? false : 'only root can give files away',
  }, () => {
    const cache = cacheFor();
    lchownSync(join(cache, 'v26/code'), OTHER_USER, OTHER_USER);
    assert.match(checkCompiledCode(cache) ?? '', /v26\/code is not a file or folder of this user/);
    lchownSync(cache, OTHER_USER, OTHER_USER);
    assert.match(checkCompiledCode(cache) ?? '', /cache is not a file or folder of this user/);
  });
});

import assert from 'node:assert/strict';
import { chmodSync, lchownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
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
  test('is used when the folder is ours alone', () => {
    assert.equal(checkCompiledCode(cacheFor()), undefined);
  });

  test('a folder that is not there is made, closed to others', () => {
    const cache = join(cacheFor(), 'data', 'cache');
    assert.equal(checkCompiledCode(cache), undefined);
    assert.equal(statSync(cache).mode & 0o777, 0o700);
  });

  test('a folder that the group or others may enter is refused', () => {
    const cache = cacheFor();
    for (const mode of [0o770, 0o702, 0o755, 0o710]) {
      chmodSync(cache, mode);
      assert.match(checkCompiledCode(cache) ?? '', /cache is open to other users: remove it$/);
    }
  });

  test('a link in place of the folder is refused', () => {
    const cache = cacheFor();
    symlinkSync(cache, join(cache, '../other'));
    assert.match(checkCompiledCode(join(cache, '../other')) ?? '', /is not a folder/);
  });

  test('a folder of another user is refused', {
    skip: process.getuid?.() === 0 ? false : 'only root can give files away',
  }, () => {
    const cache = cacheFor();
    lchownSync(cache, OTHER_USER, OTHER_USER);
    assert.match(checkCompiledCode(cache) ?? '', /cache is not a folder of this user/);
  });
});

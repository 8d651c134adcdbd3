import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainName } from './sent-key.ts';

test('names of every script are plain', () => {
  for (const name of ['', 'checkout', 'Größe 2', '登录服务', 'تسجيل', 'a\u0301', '🔑 main', '<b>&"', '👍🏽'])
    assert.equal(isPlainName(name), true, name);
});

test('a name with characters that are not seen is not', () => {
  for (const unseen of [
    '\u001b[2J',
    '\u009b2J',
    '\n',
    '\r',
    '\t',
    '\0',
    '\u007f',
    '\u202e',
    '\u200b',
    '\u2066',
    '\ufeff',
    '\u{e0041}',
    '\ud800',
    '\ue000',
  ])
    assert.equal(isPlainName(`a${unseen}b`), false, JSON.stringify(unseen));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageAsked, pageLanguage, wantsPage } from './page-language.ts';

test('the language of a visitor is the one chosen, else the heavier of Chinese and English', () => {
  for (const [accepted, cookie, language] of [
    [undefined, undefined, 'zh'],
    ['*', undefined, 'zh'],
    ['en-US,en;q=0.9', undefined, 'en'],
    ['zh-CN,zh;q=0.9,en;q=0.8', undefined, 'zh'],
    ['en;q=0.5, ZH-hant;q=0.8', undefined, 'zh'],
    ['fr,zh;q=0.2,en;q=0.3', undefined, 'en'],
    ['fr-FR, *;q=0.5', undefined, 'en'],
    ['en;q=0, zh;q=0.1', undefined, 'zh'],
    ['en;q=nonsense,;;,zh', undefined, 'zh'],
    ['english', undefined, 'en'],
    ['en', 'a=b; pulse_language=zh', 'zh'],
    ['zh', 'pulse_language=en', 'en'],
    ['en', 'pulse_language=fr', 'en'],
  ] as const)
    assert.equal(
      pageLanguage({
        ...(accepted !== undefined && { 'accept-language': accepted }),
        ...(cookie !== undefined && { cookie }),
      }),
      language,
      `${accepted} ${cookie}`,
    );
});

test('a header that names no language asks for none', () => {
  assert.deepEqual([undefined, '', '*', 'fr', 'en', 'zh-TW'].map(languageAsked), [
    ...[undefined, undefined, undefined],
    ...['en', 'en', 'zh'],
  ]);
});

test('a page is for who names text/html above JSON', () => {
  for (const [accept, page] of [
    [undefined, false],
    ['*/*', false],
    ['text/*', false],
    ['application/json', false],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['Text/HTML', true],
    ['application/json, text/html', false],
    ['application/json;q=0.9, text/html', true],
    ['text/html;q=0', false],
  ] as const)
    assert.equal(wantsPage(accept === undefined ? {} : { accept }), page, String(accept));
});

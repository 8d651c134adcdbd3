import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { DOCS_PATHS, docsFileName, docsFiles } from './docs-files.ts';

const FOLDER = new URL('../../../docs/', import.meta.url);
const CHINESE = readdirSync(new URL('zh-CN', FOLDER));
const files = docsFiles(
  (name) => readFileSync(new URL(name, FOLDER), 'utf8'),
  (name) => CHINESE.includes(name),
);
const ADDRESS = 'https://risk.test';
const textOf = (path: string, language: 'zh' | 'en'): string => files.page(path, language, ADDRESS).bytes.toString();

test('each page of the documentation has its Markdown, with the address of the deployment and links that lead on', () => {
  covers('SITE-MARKDOWN');
  const names = new Set(DOCS_PATHS.map(docsFileName));
  for (const path of DOCS_PATHS)
    for (const language of ['zh', 'en'] as const) {
      const text = textOf(path, language);
      assert.match(text, /^# /, path);
      assert.doesNotMatch(text, /<!--|https:\/\/pulse\.example(?![.\w])|http:\/\/127\.0\.0\.1:8080/, path);
      const prefix = `${ADDRESS}${language === 'en' ? '/en' : ''}/docs/`;
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g))
        if (target.startsWith(`${ADDRESS}/`) && target.includes('/docs/')) {
          const [file = ''] = target.slice(prefix.length).split('#');
          assert.ok(target.startsWith(prefix) && names.has(file), `${path}: ${target}`);
        } else assert.match(target, /^(?:https?:|#)/, `${path}: ${target}`);
    }
});

test('a Chinese page has the examples of the English one', () => {
  const fences = (language: 'zh' | 'en'): number => textOf('/docs/examples', language).match(/^```/gm)?.length ?? 0;
  assert.ok(fences('zh') > 20);
  assert.equal(fences('zh'), fences('en'));
});

test('the Markdown of a Chinese page is Chinese, or says in Chinese that it is English', () => {
  for (const path of DOCS_PATHS) {
    const [title = '', , note = ''] = textOf(path, 'zh').split('\n');
    const isChinese = CHINESE.includes(docsFileName(path));
    assert.deepEqual([/\p{Script=Han}/u.test(title), note.endsWith('以下为英文原文。')], [isChinese, !isChinese], path);
  }
});

test('the file of all pages holds each of them once, and is made once for an address', () => {
  covers('SITE-MARKDOWN');
  const all = files.all(ADDRESS);
  assert.equal(files.all(ADDRESS), all);
  for (const path of DOCS_PATHS) assert.equal(all.bytes.toString().split(textOf(path, 'en')).length, 2, path);
  assert.ok(all.gzip!.length < 200_000, String(all.gzip!.length));
});

/** Pages, commands and guides use one word per thing in each language. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { WORDS } from './words.fixture.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TEXTS = {
  zh: ['data/texts/*.zh.json', 'docs/zh-CN/*.md', 'console/src/messages/*zh.ts', 'src/core/report/words-zh.ts'],
  en: ['README.md', 'docs/*.md', 'console/src/messages/*en.ts', 'src/core/report/words-en.ts'],
};

for (const language of ['zh', 'en'] as const)
  test(`${language}: one word per thing`, () => {
    const lines = globSync(TEXTS[language], { cwd: ROOT }).flatMap((file) =>
      readFileSync(join(ROOT, file), 'utf8')
        .split('\n')
        .map((line) => `${file}: ${line}`),
    );
    for (const [thing, word, others] of WORDS[language])
      assert.deepEqual(
        lines.filter((line) => others.test(line)),
        [],
        `${thing}: ${word}`,
      );
  });

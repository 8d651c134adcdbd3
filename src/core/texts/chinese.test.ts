import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { ERRORS, ERRORS_ZH, type ErrorCode } from '../../contract/errors.ts';
import { CHINESE } from './chinese.ts';
import { Fault, fault, inLanguage, type Said, said, sentenceOf } from './said.ts';

const SOURCES = resolve(import.meta.dirname, '../..');

test('a sentence is Chinese with the same slots, and stands in the code', () => {
  const code = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(SOURCES, name), 'utf8'))
    .join('\n');
  const slots = (text: string): readonly string[] => [...new Set(text.match(/\{\w+/g))].sort();
  for (const [english, chinese] of Object.entries(CHINESE)) {
    // The Chinese text leaves out the number of words that are too many.
    if (!english.startsWith('error: too many')) assert.deepEqual(slots(chinese), slots(english), english);
    assert.match(chinese.replace(/\{\w+\}/g, ''), /[\u4e00-\u9fff：（]|^\s*$|^ (?:PostgreSQL|Redis)$/, english);
    assert.ok(code.includes(english.replaceAll('\n', '\\n')), `nothing says: ${english}`);
  }
  for (const code of Object.keys(ERRORS) as ErrorCode[]) assert.match(ERRORS_ZH[code], /[\u4e00-\u9fff]/, code);
});

test('a sentence that was kept is Chinese for who reads Chinese, with the sentences in it; others stay', () => {
  const before = sentenceOf(fault('timed out'));
  const why = said('the reading was cut after {seconds} s ({before})', { seconds: 120, before });
  const kept = JSON.parse(JSON.stringify(said('{host}: {why}', { host: 'lists.example:8443', why }))) as Said;
  assert.equal(inLanguage('zh', kept), 'lists.example:8443：读取在 120 秒后被中止（超时）');
  assert.equal(inLanguage('zh', sentenceOf(new Error('{host}: {why} ENOTFOUND'))), '{host}: {why} ENOTFOUND');
  const unknown = { text: 'of {count} years ago', values: { count: 2 } } as unknown as Said;
  assert.equal(inLanguage('zh', unknown), 'of 2 years ago');
});

test('errors and notes of the command line are sentences of the table', () => {
  const cli = join(SOURCES, 'cli');
  for (const name of readdirSync(cli, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const bare = /(?:command\.error|printNote|new (?:InvalidArgument)?Error)\(\s*(?:['"]|`(?!\$)).*/;
    assert.equal(bare.exec(readFileSync(join(cli, name), 'utf8'))?.[0], undefined, name);
  }
});

test('a fault keeps its sentence for another language, sentences in it too, and a list has its lines', () => {
  const inside = said('read as {format}', { format: 'csv' });
  const error = fault('no address in {records:line|lines} ({read}); {hint}', {
    records: 3,
    read: inside,
    hint: '{x}',
  });
  assert.ok(error instanceof Fault);
  assert.equal(error.message, 'no address in 3 lines (read as csv); {x}');
  assert.equal(inLanguage('zh', error), '3 行都没有地址（按 csv 读取）；{x}');
  const faults = [said('{name}: expected on or off', { name: 'A' }), said('{name}: expected on or off', { name: 'B' })];
  assert.equal(
    inLanguage('zh', said('configuration is not usable:\n{faults}', { faults })),
    '配置有误：\n  A：应为 on 或 off\n  B：应为 on 或 off',
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaptureBatch } from '../evidence/observation.ts';
import { formatPrefix } from '../ip/format-address.ts';
import { readFeedlog } from './feedlog.ts';

const prefixes = ({ length, words, bits, family }: CaptureBatch): string[] =>
  Array.from({ length }, (_, row) =>
    formatPrefix({
      family: family[row] === 6 ? 6 : 4,
      w0: words[4 * row]!,
      w1: words[4 * row + 1]!,
      w2: words[4 * row + 2]!,
      w3: words[4 * row + 3]!,
      bits: bits[row]!,
    }),
  ).sort();

const HEADER = '{"format":"feedlog/1","repo":"https://github.com/a/b","path":"c.txt","versions":4}';

test('every version is a run with exactly the content of the list then, the unchanged one too', () => {
  const log = [
    HEADER,
    '{"t":"2026-01-01T00:00:00Z","full":["http://8.8.8.8:80","http://8.8.8.8:81","9.9.9.9","junk"]}',
    '{"t":"2026-01-01T01:00:00Z"}',
    '{"t":"2026-01-01T02:00:00Z","add":["1.1.1.1"],"del":["http://8.8.8.8:80"]}',
    '{"t":"2026-01-01T03:00:00Z","del":["http://8.8.8.8:81","not there"]}',
    '{"t":"2026-01-01T04:00:00Z","full":["2620:fe::9"]}',
    '',
  ].join('\n');
  const runs = [...readFeedlog(log, { riskType: 'proxy' })].map(({ at, batch }) => [
    new Date(at).toISOString().slice(11, 16),
    prefixes(batch),
  ]);
  assert.deepEqual(runs, [
    ['00:00', ['8.8.8.8/32', '9.9.9.9/32']],
    ['01:00', ['8.8.8.8/32', '9.9.9.9/32']],
    ['02:00', ['1.1.1.1/32', '8.8.8.8/32', '9.9.9.9/32']],
    ['03:00', ['1.1.1.1/32', '9.9.9.9/32']],
    ['04:00', ['2620:fe::9/128']],
  ]);
});

test('an entry that is not a text is one of the slips of the list; a version of another form is refused by its line', () => {
  const hostile = '{"toString":1}';
  const log = `${HEADER}\n{"t":"2026-01-01T00:00:00Z","full":["8.8.8.8",${hostile},7,null]}\n{"t":"2026-01-01T01:00:00Z","del":[${hostile}],"add":[[]]}`;
  assert.deepEqual(
    [...readFeedlog(log, { riskType: 'proxy' })].map(({ batch }) => prefixes(batch)),
    [['8.8.8.8/32'], ['8.8.8.8/32']],
  );
  for (const line of [`{"t":${hostile}}`, `{"t":"2026-01-01T00:00:00Z","full":${hostile}}`, 'null', '[]', '{'])
    assert.throws(() => [...readFeedlog(`${HEADER}\n${line}`, { riskType: 'proxy' })], /^Error: line 2: /);
  for (const header of ['null', '7', '{', '{"format":"feedlog/1","repo":{},"path":"x"}'])
    assert.throws(() => [...readFeedlog(`${header}\n`, { riskType: 'proxy' })], /not a feedlog\/1 header/);
});

test('a log with another header or a broken time is refused', () => {
  assert.throws(() => [...readFeedlog('{"format":"other"}\n', { riskType: 'proxy' })], /feedlog/);
  assert.throws(() => [...readFeedlog(`${HEADER}\n{"t":"soon","full":[]}`, { riskType: 'proxy' })], /line 2.*soon/);
});

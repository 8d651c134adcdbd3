import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillWords } from './said.ts';

test('a slot takes its value, and the words that go with one or with several', () => {
  const sentence = '{file}: {lines:line has|lines have} no address';
  assert.equal(fillWords(sentence, { file: 'a.log', lines: 1 }), 'a.log: 1 line has no address');
  assert.equal(fillWords(sentence, { file: 'a.log', lines: '1,000' }), 'a.log: 1,000 lines have no address');
  assert.equal(fillWords(sentence, { file: 'a.log', lines: 0 }), 'a.log: 0 lines have no address');
  assert.equal(fillWords('{n:row|rows} of {name}, {"a": 1}', { n: '1' }), '1 row of {name}, {"a": 1}');
});

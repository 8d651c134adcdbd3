import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LimitRepeats } from './create-logger.ts';

function bench() {
  let now = 0;
  const due: { readonly at: number; readonly run: () => void }[] = [];
  const printed: [string, number][] = [];
  const limit = new LimitRepeats(
    () => now,
    (run, ms) => void due.push({ at: now + ms, run }),
  );
  return {
    limit,
    printed,
    say: (kind: string, text = kind) => limit.take(kind, (repeated) => printed.push([text, repeated])),
    pass(ms: number) {
      now += ms;
      for (const { run } of due.splice(0).filter(({ at, run }) => at <= now || void due.push({ at, run }))) run();
    },
  };
}

test('the first line is printed at once, the rest of its second as one with a count', () => {
  const { say, printed, pass } = bench();
  for (let n = 1; n <= 100; n++) say('a', `a${n}`);
  assert.deepEqual(printed, [['a1', 0]]);
  pass(1000);
  assert.deepEqual(printed, [
    ['a1', 0],
    ['a100', 98],
  ]);
});

test('a flood is one line a second, and every line is counted', () => {
  const { say, printed, pass } = bench();
  for (let n = 0; n < 10_000; n++) {
    say('a');
    pass(1);
  }
  pass(1000);
  assert.equal(
    printed.reduce((sum, [, repeated]) => sum + 1 + repeated, 0),
    10_000,
  );
  assert.ok(printed.length <= 12, `${printed.length} lines in eleven seconds`);
});

test('different lines do not wait for each other, and the same one is printed again after a quiet second', () => {
  const { say, printed, pass } = bench();
  say('a');
  say('b');
  pass(1000);
  say('a');
  assert.deepEqual(printed, [
    ['a', 0],
    ['b', 0],
    ['a', 0],
  ]);
});

test('the memory is bounded, and nothing that was held back is lost', () => {
  const { limit, say, printed, pass } = bench();
  for (let n = 0; n < 5000; n++) {
    say(`kind ${n}`);
    say(`kind ${n}`);
  }
  assert.ok(limit.size <= 256);
  pass(1000);
  assert.equal(
    printed.reduce((sum, [, repeated]) => sum + 1 + repeated, 0),
    10_000,
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unixMs } from '../units.ts';
import { readSecretLines, type SecretLines, secretLinesText } from './secret-lines.ts';

const KEY = 'k'.repeat(43);

test('a secret alone, and one with all that a rotation adds, are read as they were written', () => {
  const all: readonly SecretLines[] = [
    { secret: 'one secret, which may hold spaces', kept: {} },
    {
      secret: 'new',
      former: { secret: 'former secret until noon', until: unixMs(Date.UTC(2026, 10, 29)) },
      kept: { 'api-key': KEY, 'pool-handle': KEY },
    },
    { secret: 'new', kept: { 'phone-number': KEY } },
  ];
  for (const lines of all) assert.deepEqual(readSecretLines(secretLinesText(lines)), lines);
  assert.deepEqual(readSecretLines(`new\r\nkeep api-key ${KEY}\r\n`), { secret: 'new', kept: { 'api-key': KEY } });
});

test('the first line that cannot be read is named by its number', () => {
  const former = 'former old until 2026-11-29T00:00:00.000Z';
  const wrong: readonly (readonly [readonly string[], number])[] = [
    [['another secret'], 2],
    [[''], 2],
    [['former old'], 2],
    [['former old until soon'], 2],
    [['former old until 2026-99-29T00:00:00Z'], 2],
    [[former, former], 3],
    [['keep cookie kkk'], 2],
    [[`keep cookie ${KEY}`], 2],
    [[`keep api-key ${KEY}`, `keep api-key ${KEY}`], 3],
  ];
  for (const [more, line] of wrong)
    assert.equal(readSecretLines(['new', ...more, 'end'].join('\n')), line, JSON.stringify(more));
});

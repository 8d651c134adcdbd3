import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { print, printNote } from './print.ts';

/** Text written to a stream while `work` runs. */
function writtenTo(t: TestContext, stream: NodeJS.WriteStream, work: () => void): string {
  const parts: string[] = [];
  const write = t.mock.method(stream, 'write', (part: string) => parts.push(part) > 0);
  work();
  write.mock.restore();
  return parts.join('');
}

const HOSTILE = 'list\u001b[2J\u009b1m\nkey_1  revoked\u202e';

test('text of a publisher stays on its line and cannot act on the terminal, in lines, JSON and remarks', (t) => {
  const lines = writtenTo(t, process.stdout, () => print(false, undefined, [HOSTILE, 'second']));
  const json = writtenTo(t, process.stdout, () => print(true, { name: HOSTILE }, []));
  const note = writtenTo(t, process.stderr, () => printNote(HOSTILE));
  assert.deepEqual(
    [lines, json, note].map((text) => text.split('\n').length - 1),
    [2, 1, 1],
  );
  for (const text of [lines, json, note]) assert.doesNotMatch(text.replaceAll('\n', ''), /\p{C}/u);
  assert.deepEqual(JSON.parse(json), { name: HOSTILE });
});

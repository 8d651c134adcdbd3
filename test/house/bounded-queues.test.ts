/**
 * Every place where requests, connections or messages can gather, in the files between a socket and an
 * answer, stands here with its bound: a text of the code that keeps it, or the reason why nothing of a
 * stranger gathers there. A new one fails this test until it has its row.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { BOUNDS } from './bounded-queues.fixture.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = globSync(
  [
    'src/apps/http/*.ts',
    'src/apps/http/{connection,lane,answer,pages}/*.ts',
    'src/apps/metrics/*.ts',
    'src/apps/mcp/plain-lane.ts',
    'src/main/threads/*.ts',
  ],
  { cwd: ROOT },
).filter((file) => !file.endsWith('.test.ts'));

/** These can hold more and more: a collection that begins empty, a pool of connections, a server, a thread. */
const HOLDER =
  /new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|(?:[\w)\]>]|#\w+) = \[\]|new [\w.]*Agent\(|createServer\(|new Worker\(/;

const linesOf = (file: string): readonly string[] => readFileSync(resolve(ROOT, file), 'utf8').split('\n');

test('each queue between a socket and an answer has its bound in this table', () => {
  assert.ok(FILES.length > 40, String(FILES.length));
  for (const file of FILES) {
    const found = linesOf(file)
      .map((line) => line.trim())
      .filter((line) => HOLDER.test(line) && !line.startsWith('*'));
    const rows = BOUNDS[file] ?? [];
    assert.equal(found.length, rows.length, `${file}: ${found.join(' | ')}`);
    for (const [at, line] of found.entries()) assert.ok(line.startsWith(rows[at]!.line), `${file}: ${line}`);
  }
});

test('each bound of the table is in the code', () => {
  for (const [file, rows] of Object.entries(BOUNDS))
    for (const { line, bound, reason, file: of = file } of rows) {
      assert.ok((bound === undefined) !== (reason === undefined), `${file}: ${line} has a bound or a reason`);
      if (bound !== undefined) assert.ok(linesOf(of).join('\n').includes(bound), `${of}: ${bound}`);
    }
});

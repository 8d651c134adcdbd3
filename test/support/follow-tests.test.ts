import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { describe, getTestContext, test } from 'node:test';
import { promisify } from 'node:util';

const FOLLOW = resolve(import.meta.dirname, '../../scripts/follow-tests.mjs');

describe('tests that run at the same time', { concurrency: true }, () => {
  for (const name of ['one', 'two'])
    test(`${name} stays the test around its calls, after promises, turns of the event loop and requests`, async (t) => {
      const current = (): string | undefined => getTestContext()?.name;
      await promisify(setImmediate)();
      assert.equal(current(), t.name);
      const server = createServer((_, response) => response.end(current())).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), t.name);
      server.close();
      await t.test('of the first', () => assert.equal(current(), 'of the first'));
      assert.equal(current(), t.name);
    });
});

/** What node:test says of these tests, which fail, in a process of their own. */
function said(tests: string): string {
  const code = `import { describe, test } from 'node:test';\n${tests}`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--import', FOLLOW, '--test-reporter=tap', '--input-type=module', '--eval', code],
    { encoding: 'utf8', env },
  );
  assert.equal(status, 1, stdout);
  return stdout;
}

test('an error of a later turn or a promise fails the test that made it, not the one that runs', () => {
  const output = said(`describe('both', { concurrency: true }, () => {
    test('throws', () => new Promise(() => setImmediate(() => { throw new Error('of a turn'); })));
    test('rejects', () => new Promise(() => void setImmediate(() => Promise.reject(new Error('of a promise')))));
    test('runs', async () => { for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate); });
  });`);
  assert.match(
    output,
    /not ok 1 - throws[\s\S]*error: 'of a turn'[\s\S]*not ok 2 - rejects[\s\S]*error: 'of a promise'/,
  );
  assert.match(output, /^ +ok 3 - runs$/m);
});

test('tests of a module that a suite loads are tests of the suite', () => {
  const module = `data:text/javascript,import { test } from 'node:test'; await 1; test('inner', () => { throw new Error(); });`;
  const output = said(`await describe('outer', async () => void (await import(${JSON.stringify(module)})));`);
  assert.match(output, /^ {4}not ok 1 - inner$[\s\S]*^not ok 1 - outer$/m);
});

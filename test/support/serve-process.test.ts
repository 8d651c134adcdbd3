import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { serveProcess } from './serve-process.ts';

test('a start that fails says why and leaves no data folder behind', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-start-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  t.after(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true });
  });
  await assert.rejects(serveProcess({ env: { PULSE_WORKERS: 'none' } }), /the server ended with [1-9].*PULSE_WORKERS/s);
  assert.deepEqual(readdirSync(folder), []);
});

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

test('a clock that a test moves is moved in every thread', async (t) => {
  const noon = Date.UTC(2026, 0, 15, 12);
  const server = await serveProcess({ clockAt: noon });
  t.after(() => server.dispose());
  const ask = async (): Promise<number> => {
    const response = await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: { Connection: 'close' } });
    return Date.parse(((await response.json()) as { computed_at: string }).computed_at);
  };
  for (let i = 0; i < 8; i++) assert.ok((await ask()) - noon < 3_600_000);
  await server.moveClock(86_400_000);
  for (let i = 0; i < 8; i++) assert.ok((await ask()) - noon > 86_400_000);
});

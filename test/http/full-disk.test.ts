/** A running service whose ledger lies on a file system that is really full. Mounting one needs root. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pulse-full-disk-'));
const ledger = join(dataDir, 'ledger');
mkdirSync(ledger);
/** Little more than the quarter of a log's reserve that is kept for refunds: room for some 2,000 charges. */
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=576k,mode=700', 'tmpfs', ledger]).status === 0;

const ENV = { PULSE_WORKERS: '1', PULSE_PHONE: 'on', PULSE_LOG: 'info' };
let server: ServeProcess | undefined;
let key = '';
const start = async (): Promise<ServeProcess> => {
  server = await serveProcess({ dataDir, env: ENV });
  return server;
};
const headers = (): Record<string, string> => ({ 'x-api-key': key, 'content-type': 'application/json', connection: 'close' });
const ask = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(server!.base + path, { headers: headers(), ...init });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: JSON.parse(await response.text()) };
};
const phone = () => ask('/v1/phone/lookup', { method: 'POST', body: JSON.stringify({ number: '+8613800138000' }) });
const used = async (): Promise<{ lookups: number; phone: number }> => {
  const { body } = await ask('/v1/me');
  return { lookups: body.used_today, phone: body.capabilities.phone.used_today };
};

describe('a service whose ledger is on a full disk', { skip: mounted ? false : 'needs the right to mount a tmpfs' }, () => {
  let lookups = 0;
  let numbers = 0;

  before(async () => {
    writeSyntheticGeo(dataDir);
    await start();
    const limits = ['--plan', 'enterprise', '--phone'];
    key = createKey(dataDir, 'full-disk', limits).key;
    await eventually(async () => (await phone()).status === 200 && ++numbers > 0);
  });
  after(async () => {
    await server?.stop();
    if (mounted) spawnSync('umount', ['-l', ledger]);
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('answers while their charges can be written, refuses after that, and reports it once', async () => {
    const codes = new Set<string>();
    for (let round = 0; round < 100 && codes.size === 0; round += 1) {
      for (const { status, retryAfter, body } of await Promise.all(Array.from({ length: 50 }, () => ask('/v1/ip/8.8.8.8')))) {
        if (status === 200) lookups += 1;
        else {
          assert.deepEqual([status, retryAfter], [503, '2']);
          codes.add(body.error.code);
        }
      }
    }
    assert.deepEqual([...codes], ['not_ready']);
    assert.ok(lookups > 500, String(lookups));
    const refused = await phone();
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'quota_unavailable']);
    assert.deepEqual(await used(), { lookups, phone: numbers });
    const lines = server!
      .output()
      .split('\n')
      .filter((line) => line.includes('ledger log'));
    assert.equal(lines.length, 1, lines.join('\n'));
    await eventually(async () => /pulse_ledger_refusing\{thread="0"\} 1/.test(await server!.metrics()));
  });

  test('an orderly restart on the full disk finds every charge that was answered, in few files', async () => {
    await server!.stop();
    assert.ok(readdirSync(ledger).length <= 4, readdirSync(ledger).join(' '));
    await start();
    assert.deepEqual(await used(), { lookups, phone: numbers });
  });

  test('what is answered after space is back survives a kill', async () => {
    assert.equal(spawnSync('mount', ['-o', 'remount,size=16m', ledger]).status, 0);
    await eventually(async () => (await phone()).status === 200 && ++numbers > 0);
    for (let n = 0; n < 10; n += 1) {
      if ((await phone()).status === 200) numbers += 1;
      if ((await ask('/v1/ip/8.8.8.8')).status === 200) lookups += 1;
    }
    await server!.kill();
    await start();
    assert.deepEqual(await used(), { lookups, phone: numbers });
  });
});

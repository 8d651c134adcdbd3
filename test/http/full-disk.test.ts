/**
 * A running service whose ledger lies on a file system that is really full. Mounting one needs root. What is
 * counted once there is space again, and after a stop or a crash, is proved in
 * src/adapters/counters/memory/full-disk.test.ts.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pulse-full-disk-'));
const ledger = join(dataDir, 'ledger');
mkdirSync(ledger);
/** Little more than the quarter of a log's reserve that is kept for refunds: room for some hundred charges. */
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=540k,mode=700', 'tmpfs', ledger]).status === 0;

/**
 * The log of one lookup thread takes all space, so the other one has none, nor has the thread that looks
 * phone numbers up.
 */
const ENV = { PULSE_WORKERS: '2', PULSE_PHONE: 'on', PULSE_LOG: 'info' };
/** Lookups per day: a multiple of 50, and more than the space has room for. */
const PER_DAY = 1000;
let server: ServeProcess | undefined;
let key = '';
const headers = (): Record<string, string> => ({
  'x-api-key': key,
  'content-type': 'application/json',
  connection: 'close',
});
const ask = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(server!.base + path, { headers: headers(), ...init });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: JSON.parse(await response.text()),
  };
};
const phone = () => ask('/v1/phone/lookup', { method: 'POST', body: JSON.stringify({ number: '+8613800138000' }) });
const used = async (): Promise<{ lookups: number; phone: number | undefined }> => {
  const { body } = await ask('/v1/me');
  return { lookups: body.used_today, phone: body.capabilities.phone?.used_today };
};

describe('a service whose ledger is on a full disk', {
  skip: mounted ? false : 'needs the right to mount a tmpfs',
}, () => {
  before(async () => {
    writeSyntheticGeo(dataDir);
    server = await serveProcess({ dataDir, env: ENV });
    const made = createKey(dataDir, 'full-disk', ['--plan', 'enterprise', '--phone']);
    pulseJson(dataDir, ['account', 'set', made.accountId, '--per-day', String(PER_DAY), '--overage-pct', '0']);
    ({ key } = made);
    await eventually(async () => (await ask('/v1/phone/meta/coverage')).status === 200);
  });
  after(async () => {
    await server?.stop();
    if (mounted) spawnSync('umount', ['-l', ledger]);
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('answers exactly the lookups of the allowance, refuses phone numbers when the log has no room, counts right all the while and reports it once', async () => {
    const statuses = new Map<string, number>();
    for (let round = 0; round < PER_DAY / 50 + 1; round += 1) {
      for (const { status, body } of await Promise.all(Array.from({ length: 50 }, () => ask('/v1/ip/8.8.8.8')))) {
        const what = status === 200 ? '200' : body.error.code;
        statuses.set(what, (statuses.get(what) ?? 0) + 1);
      }
      assert.equal((await used()).lookups, Math.min(PER_DAY, (round + 1) * 50));
    }
    assert.deepEqual(Object.fromEntries(statuses), { 200: PER_DAY, quota_exceeded: 50 });
    await eventually(async () =>
      /pulse_ledger_refusing\{thread="0"\} 1\n.*pulse_ledger_refusing\{thread="1"\} 1\n/s.test(await server!.metrics()),
    );
    assert.match(await server!.metrics(), /^pulse_ledger_waiting_charges [1-9]/m);
    const { body } = await ask('/healthz');
    assert.deepEqual([body.charges_unwritten, body.degraded], [true, true]);
    const refused = await phone();
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'quota_unavailable']);
    assert.deepEqual(await used(), { lookups: PER_DAY, phone: 0 });
    const lines = server!
      .output()
      .split('\n')
      .filter((line) => line.includes('ledger log'));
    assert.equal(lines.length, 3, `one a thread: ${lines.join('\n')}`);
  });
});

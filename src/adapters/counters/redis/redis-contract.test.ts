import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startRedis } from '../../../../test/support/redis.ts';
import { unixMs } from '../../../core/units.ts';
import { counterContract } from '../counter.contract.ts';
import { SMALL_TABLES } from '../memory/ledger.fixture.ts';
import { MemoryLedger } from '../memory/memory-ledger.ts';
import { openSharedLedger } from '../memory/shared-ledger.ts';
import { RedisLedger } from './redis-ledger.ts';

const ZONE = 'Asia/Shanghai';
const server = await startRedis();

if ('skip' in server) test('ledger over Redis', { skip: server.skip }, () => {});
else {
  after(() => server.dispose());
  counterContract('ledger over Redis', () => {
    const dir = mkdtempSync(join(tmpdir(), 'pulse-redis-contract-'));
    const shared = openSharedLedger(
      { dir, zone: ZONE, sharing: 'alone', ...SMALL_TABLES },
      unixMs(Date.UTC(2026, 2, 10, 12)),
    );
    let opened = 0;
    return {
      async open() {
        opened += 1;
        const fallback = new MemoryLedger(shared, { owner: 1 + opened, writer: `w${opened}` });
        const ledger = new RedisLedger({ url: server.url, zone: ZONE, fallback, secret: new Uint8Array(32) });
        await ledger.ready(5000);
        return ledger;
      },
      close() {
        rmSync(dir, { recursive: true, force: true });
      },
    };
  });
}

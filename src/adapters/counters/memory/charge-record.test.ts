import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QuotaPool } from '../../../core/quota/quota.ts';
import { isClientPool, poolNumberOf } from './charge-record.ts';

test('each pool keeps its storage number, and only client addresses are clients', () => {
  const numbers: Readonly<Record<QuotaPool, number>> = { ip: 1, account: 2, key: 3, agent: 4, phone: 5 };
  for (const [pool, number] of Object.entries(numbers) as [QuotaPool, number][]) {
    assert.equal(poolNumberOf(`${pool}:x`), number);
    assert.equal(isClientPool(number), pool === 'ip');
  }
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PulseIPRisk } from '../../src/contract/documents.ts';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { sharedService } from '../support/shared-service.ts';
import { testFolder } from '../support/test-folder.ts';

const IP = '1.2.77.5';

test('with PULSE_ACCOUNT a command gives the pool handles that the account is given, and no others without it', async () => {
  covers('CLI-POOL-HANDLES');
  const { dataDir, base, now } = await sharedService();
  const file = join(testFolder('pools'), 'captures.ndjson');
  const captured_at = new Date(now() - 60_000).toISOString();
  writeFileSync(file, JSON.stringify({ ip: IP, risk_type: 'proxy', captured_at, pool: 'synthetic' }));
  pulseJson(dataDir, ['evidence', 'import', file, '--source', 'pool-test']);
  const [one, other] = ['pools-one', 'pools-other'].map((name) =>
    createKey(dataDir, name, ['--plan', 'professional']),
  ) as [ReturnType<typeof createKey>, ReturnType<typeof createKey>];
  const given = (key: string): Promise<readonly string[]> =>
    eventually(async () => {
      const answer = await fetch(`${base}/pulse/v1/ip/${IP}`, { headers: { 'X-API-Key': key } });
      const { resource_pools: pools } = (await answer.json()) as Partial<PulseIPRisk>;
      assert.equal(pools?.length, 1);
      return pools;
    });
  const printed = (env: Readonly<Record<string, string>> = {}): readonly string[] => {
    const document = pulseJson(dataDir, ['lookup', IP, '--professional'], env) as unknown as PulseIPRisk;
    return document.resource_pools!;
  };
  const [ofOne, ofOther] = [await given(one.key), await given(other.key)];
  assert.notDeepEqual(ofOne, ofOther);
  assert.deepEqual(printed({ PULSE_ACCOUNT: one.accountId }), ofOne);
  assert.deepEqual(printed({ PULSE_ACCOUNT: other.accountId }), ofOther);
  for (const handles of [ofOne, ofOther]) assert.notDeepEqual(printed(), handles);
});

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fillDemo, openDemoFolder, refuseDemoFolder } from '../../src/adapters/data-folder/open-demo-folder.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { loadConfig } from '../../src/config.ts';
import { RISK_TYPES } from '../../src/contract/risk.ts';
import { parseAddress, parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { SCORE_PARAMETERS } from '../../src/core/risk/parameters.ts';
import { verdict } from '../../src/core/risk/verdict.ts';
import { unixMs } from '../../src/core/units.ts';
import { DEMO_ADDRESSES } from '../../src/service/intake/demo-addresses.ts';
import { demoNotice, recordDemo } from '../../src/service/intake/record-demo.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder('demo');
const NOW = unixMs(Date.UTC(2026, 10, 21, 12));
const config = (name: string) => loadConfig({ PULSE_DATA_DIR: join(folder, name) }, 1);

/** Verdict on every demonstration address, from the store. */
const verdicts = (store: SqliteHistory, now = NOW) =>
  DEMO_ADDRESSES.map(({ look, network }) => {
    const address = parseAnyAddress(look)!;
    const facts = {
      usageType: network?.usage,
      hosting: network?.hosting === true,
      mobile: network?.mobile === true,
      crawler: network?.crawler === true,
      relay: network?.relay === true,
    };
    return { look, ...verdict(store.observationsAt(address, now), facts, address.family, now, SCORE_PARAMETERS) };
  });

test('the demonstration shows every risk type, state, level, tier and freshness, and pools', async () => {
  const store = new SqliteHistory(join(folder, 'all.db'));
  await recordDemo(store, NOW, true);
  const all = verdicts(store);
  const rows = all.flatMap(({ evidence }) => [...evidence]);
  assert.deepEqual(new Set(rows.map(({ riskType }) => riskType)), new Set(RISK_TYPES));
  assert.deepEqual(new Set(all.map(({ state }) => state)), new Set(['active', 'stale', 'none']));
  assert.deepEqual(new Set(all.map(({ level }) => level)), new Set(['none', 'low', 'medium', 'high']));
  assert.deepEqual(new Set(all.map(({ shareTier }) => shareTier)), new Set(['T0', 'T1', 'T2', 'T3']));
  assert.ok(new Set(all.flatMap(({ pools }) => [...pools])).size >= 4);
  await store.close();
});

test('verdicts stay the same while the demonstration runs', async () => {
  const store = new SqliteHistory(join(folder, 'fresh.db'));
  await recordDemo(store, NOW, true);
  const before = verdicts(store).map(({ look, state, level }) => ({ look, state, level }));
  const later = unixMs(NOW + 3 * 3_600_000);
  await recordDemo(store, later, false);
  assert.deepEqual(
    verdicts(store, later).map(({ look, state, level }) => ({ look, state, level })),
    before,
  );
  await store.close();
});

test('the printed list is in the language of the person at the terminal', () => {
  assert.match(
    demoNotice('http://x', 'en'),
    /DEMONSTRATION: every piece[\s\S]*Try, at http:\/\/x:[\s\S]*university: none/,
  );
  const chinese = demoNotice('http://x', 'zh');
  assert.match(chinese, /演示：[\s\S]*高校：无，T2/);
  assert.deepEqual(
    chinese.match(/(?<![\d:])\b[a-z]{2,}/gi)?.filter((word) => !/^(?:http|Tor|VPN|IPv|DNS)$/.test(word)),
    [],
  );
});

test('every address of the table is public', () => {
  for (const { look } of DEMO_ADDRESSES) assert.equal(parseAddress(look).status, 'ok', look);
});

test('a demonstration and real data never share a folder', async () => {
  const real = config('real');
  const demo = openDemoFolder(real);
  assert.equal(demo.dataDir, join(real.dataDir, 'demo'));
  assert.equal(demo.feeds, 'off');
  assert.throws(() => refuseDemoFolder(demo), /demonstration/);
  refuseDemoFolder(real);
  assert.equal(openDemoFolder(real).dataDir, demo.dataDir, 'opened again');
  assert.ok(readdirSync(join(demo.dataDir, 'network')).length > 10);

  const taken = config('taken');
  mkdirSync(join(taken.dataDir, 'demo'), { recursive: true });
  writeFileSync(join(taken.dataDir, 'demo', 'evidence.db'), 'another program’s');
  assert.throws(() => openDemoFolder(taken), /left alone/);
  const store = new SqliteHistory(join(folder, 'wrong.db'));
  const parts = { store, clock: { now: () => NOW } };
  await assert.rejects(fillDemo({ ...parts, config: real }), /openDemoFolder/);
  await fillDemo({ ...parts, config: demo });
  assert.ok(existsSync(join(demo.dataDir, 'seeded')));
  await store.close();
});

test('a demonstration refuses stores that others share', () => {
  assert.throws(
    () =>
      openDemoFolder(
        loadConfig({ PULSE_DATA_DIR: join(folder, 'x'), PULSE_DATABASE_URL: 'postgres://localhost/x' }, 1),
      ),
    /PULSE_DATABASE_URL/,
  );
});

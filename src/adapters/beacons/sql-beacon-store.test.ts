import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TECHNOLOGIES, testDatabases } from '../../../test/support/test-databases.ts';
import { DAY_MS, type UnixMs, unixMs, utcDay } from '../../core/units.ts';
import type { By } from '../../service/accounts/account-store.ts';
import { EXIT_KEPT_DAYS, type NewBeacon } from '../../service/beacons/beacon-store.ts';
import { KyselyAccountStore } from '../accounts/kysely-account-store.ts';
import { SqlBeaconStore } from './sql-beacon-store.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const TODAY = utcDay(NOON);
const BY: By = { actor: 'cli', at: NOON };
const databases = testDatabases();

const beacon = (id: string, more: Partial<NewBeacon> = {}): NewBeacon => ({
  id,
  hash: `hash of ${id}`,
  prefix: 'pb_ABCDEF',
  riskType: 'vpn',
  ...more,
});
const later = (ms: number): UnixMs => unixMs(NOON + ms);

for (const technology of TECHNOLOGIES)
  test(`beacons over ${technology}: found by token, counted exactly, revoked once, forgotten in time`, async (t) => {
    const opened = await databases.open(technology);
    if ('skip' in opened) return t.skip(opened.skip);
    const { db } = opened;
    const store = new SqlBeaconStore(db);

    await t.test(
      'a beacon that is made is found, with and without pool and expiry; past the bound nothing is made',
      async () => {
        const made = await store.create(beacon('bcn_a', { pool: 'brand', expiresAt: later(DAY_MS) }), BY, 2);
        assert.deepEqual(made, {
          id: 'bcn_a',
          prefix: 'pb_ABCDEF',
          riskType: 'vpn',
          pool: 'brand',
          createdAt: NOON,
          expiresAt: later(DAY_MS),
        });
        assert.deepEqual(await store.findByHash('hash of bcn_a'), made);
        assert.equal(await store.findByHash('hash of bcn_b'), undefined);
        const [b, c] = await Promise.all([store.create(beacon('bcn_b'), BY, 2), store.create(beacon('bcn_c'), BY, 2)]);
        assert.equal([b, c].filter((one) => one === 'too_many').length, 1, 'one of two at once');
        const other = b === 'too_many' ? c : b;
        assert.deepEqual(other, {
          id: (other as { id: string }).id,
          prefix: 'pb_ABCDEF',
          riskType: 'vpn',
          createdAt: NOON,
        });
        // The first beacon has expired by then.
        assert.notEqual(await store.create(beacon('bcn_d'), { ...BY, at: later(DAY_MS) }, 2), 'too_many');
      },
    );

    await t.test('exits are counted once a date, new ones once, however many come together', async () => {
      assert.deepEqual(await store.exitState('bcn_a', '198.14.0.1', NOON), { lastAt: undefined, exitsOfDay: 0 });
      await Promise.all(
        ['198.14.0.1', '198.14.0.1', '198.14.0.2', '2a00:1::1'].map((ip, ms) =>
          store.countExit('bcn_a', ip, later(ms)),
        ),
      );
      assert.deepEqual(await store.exitState('bcn_a', '198.14.0.2', NOON), { lastAt: later(2), exitsOfDay: 3 });
      await store.countExit('bcn_a', '198.14.0.1', later(DAY_MS));
      await store.countExit('bcn_a', '198.14.0.9', later(DAY_MS));
      // A clock that went back does not move dates back.
      await store.countExit('bcn_a', '198.14.0.9', later(DAY_MS - 5));
      const [found] = (await store.list(TODAY)).filter(({ id }) => id === 'bcn_a');
      assert.equal(found?.exits, 4);
      assert.equal(found?.lastSeenAt, later(DAY_MS));
      assert.deepEqual(found?.days, [
        { day: TODAY, captures: 4, exits: 3, newExits: 3 },
        { day: TODAY + 1, captures: 3, exits: 2, newExits: 1 },
      ]);
      assert.deepEqual((await store.list(TODAY + 2)).find(({ id }) => id === 'bcn_a')?.days, []);
    });

    await t.test('an exit that was not seen for long is forgotten and new again', async () => {
      const at = later((EXIT_KEPT_DAYS + 0.5) * DAY_MS);
      assert.deepEqual(
        [(await store.newestExits(10)).slice(0, 2).sort(), (await store.newestExits(1)).length],
        [['198.14.0.1', '198.14.0.9'], 1],
      );
      await store.prune(at);
      assert.equal((await store.exitState('bcn_a', '198.14.0.2', at)).lastAt, undefined);
      assert.equal((await store.exitState('bcn_a', '198.14.0.1', at)).lastAt, later(DAY_MS));
      await store.countExit('bcn_a', '198.14.0.2', at);
      assert.equal((await store.list(TODAY)).find(({ id }) => id === 'bcn_a')?.exits, 5);
    });

    await t.test('a revocation keeps its first moment, and stands in the audit log without token or hash', async () => {
      const revoked = await store.revoke('bcn_a', { ...BY, at: later(5) });
      assert.equal(typeof revoked === 'string' ? revoked : revoked.revokedAt, later(5));
      assert.deepEqual(await store.revoke('bcn_a', { ...BY, at: later(9) }), revoked);
      assert.deepEqual(await store.findByHash('hash of bcn_a'), revoked);
      assert.equal(await store.revoke('bcn_zzz', BY), 'unknown_beacon');
      const audit = await new KyselyAccountStore(db).audit({ subject: 'bcn_a', limit: 10 });
      const shown = audit.map(({ action, detail }) => [action, detail]);
      assert.deepEqual(shown, [
        ['beacon.revoke', { prefix: 'pb_ABCDEF' }],
        ['beacon.create', { prefix: 'pb_ABCDEF', riskType: 'vpn', pool: 'brand', expiresAt: later(DAY_MS) }],
      ]);
    });
  });

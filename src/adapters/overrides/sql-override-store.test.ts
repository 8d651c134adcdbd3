import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TECHNOLOGIES, testDatabases } from '../../../test/support/test-databases.ts';
import type { Override } from '../../core/risk/override.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { SqlOverrideStore } from './sql-override-store.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const by = (at: UnixMs) => ({ actor: 'cli', at }) as const;
const databases = testDatabases();
const override = (id: string, from: UnixMs, more: Partial<Override> = {}): Override => ({
  ...{ id, prefix: '45.9.8.0/24', from, until: unixMs(from + DAY_MS), reason: 'r' },
  ...more,
});

for (const technology of TECHNOLOGIES)
  test(`overrides over ${technology}: read as they were made, counted while in force, ended once, forgotten in time`, async (t) => {
    const opened = await databases.open(technology);
    if ('skip' in opened) return t.skip(opened.skip);
    const store = new SqlOverrideStore(opened.db);
    const allow = override('a', NOON);
    const deny = override('b', unixMs(NOON + 1), { deny: 'proxy' });
    assert.equal(await store.add(allow, by(allow.from), 2), 'added');
    assert.equal(await store.add(deny, by(deny.from), 2), 'added');
    assert.deepEqual(await store.all(), [deny, allow]);
    assert.equal(await store.add(override('c', NOON), by(deny.from), 2), 'too_many');
    const end = unixMs(NOON + 1000);
    assert.deepEqual(await store.remove('a', by(end)), { ...allow, until: end });
    assert.deepEqual(await store.remove('a', by(unixMs(end + 1))), { ...allow, until: end }, 'it has ended before');
    assert.equal(await store.remove('x', by(end)), 'unknown_override');
    const late = unixMs(NOON + 900 * DAY_MS);
    const [c, d] = await Promise.all(['c', 'd'].map((id) => store.add(override(id, late), by(late), 1)));
    assert.deepEqual([c, d].sort(), ['added', 'too_many'], 'one of two at once');
    assert.equal((await store.all()).length, 1);
  });

import { sql } from 'kysely';
import type { Override } from '../../core/risk/override.ts';
import { DAY_MS } from '../../core/units.ts';
import type { By } from '../../service/accounts/account-store.ts';
import type { OverrideStore } from '../../service/overrides/overrides.ts';
import { lockChanges, recordChange } from '../database/record-change.ts';
import { firstOf, rowsOf, SqlStore } from '../database/sql-store.ts';
import { OVERRIDE_KIND, type OverrideRow, overrideOf } from './sqlite-overrides.ts';

/** History answers about no earlier time. */
const ENDED_KEPT_MS = 800 * DAY_MS;

export class SqlOverrideStore extends SqlStore implements OverrideStore {
  add(override: Override, by: By, most: number): Promise<'added' | 'too_many'> {
    return this.transaction(async (trx) => {
      await lockChanges(trx);
      const lasting = sql`until_at > ${by.at} and removed_at is null`;
      const counted = await firstOf(
        trx,
        sql<{ count: number }>`select count(*) as count from overrides where ${lasting}`,
      );
      if (Number(counted!.count) >= most) return 'too_many';
      const { id, prefix, from, until, deny = null, reason } = override;
      const detail = { prefix, ...(deny === null ? { allow: true } : { deny }), reason, until };
      await recordChange(trx, { ...by, action: 'override.add', topic: OVERRIDE_KIND, subject: id, detail });
      const long = by.at - ENDED_KEPT_MS;
      await sql`delete from overrides where until_at < ${long} or removed_at < ${long}`.execute(trx);
      await trx
        .insertInto('overrides')
        .values({ id, prefix, deny, reason, created_at: from, until_at: until, removed_at: null })
        .execute();
      return 'added';
    });
  }

  remove(id: string, by: By): Promise<Override | 'unknown_override'> {
    return this.transaction(async (trx) => {
      const found = await trx.selectFrom('overrides').selectAll().where('id', '=', id).executeTakeFirst();
      if (found === undefined) return 'unknown_override';
      if (overrideOf(found).until <= by.at) return overrideOf(found);
      const { prefix } = found;
      await recordChange(trx, {
        ...by,
        action: 'override.remove',
        topic: OVERRIDE_KIND,
        subject: id,
        detail: { prefix },
      });
      await trx.updateTable('overrides').set({ removed_at: by.at }).where('id', '=', id).execute();
      return overrideOf({ ...found, removed_at: by.at });
    });
  }

  async all(): Promise<readonly Override[]> {
    const all = sql<OverrideRow>`select * from overrides order by created_at desc, id`;
    return (await rowsOf(this.db, all)).map(overrideOf);
  }
}

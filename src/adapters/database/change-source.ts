import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import type { ChangeSource, SeenChange } from '../../service/accounts/change-feed.ts';
import type { Database } from './tables.ts';

export function changeSource(db: Kysely<Database>): ChangeSource {
  return {
    head: async () =>
      (await db.selectFrom('change_counter').select('seq').where('id', '=', 1).executeTakeFirstOrThrow()).seq,
    after: (seq) =>
      db.selectFrom('changes').select(['seq', 'topic', 'subject']).where('seq', '>', seq).orderBy('seq').execute(),
  };
}

export function sqliteChangeSource(database: DatabaseSync): ChangeSource {
  const head = database.prepare('select seq from change_counter where id = 1');
  const after = database.prepare('select seq, topic, subject from changes where seq > ? order by seq');
  return {
    head: () => Number(head.get()?.seq),
    after: (seq) => after.all(seq) as unknown as SeenChange[],
  };
}

import { KyselyAccountStore } from '../../adapters/accounts/kysely-account-store.ts';
import { SqlBeaconStore } from '../../adapters/beacons/sql-beacon-store.ts';
import { SqlCollectionStore } from '../../adapters/collection/sql-collection-store.ts';
import { BULK_DEADLINE } from '../../adapters/database/keep-deadline.ts';
import { connectDatabase, emptyWriteLog } from '../../adapters/database/open-database.ts';
import { pruneChanges } from '../../adapters/database/record-change.ts';
import { SqlOAuthStore } from '../../adapters/oauth/sql-oauth-store.ts';
import { SqlSecondFactorStore } from '../../adapters/sign-in/sql-second-factor-store.ts';
import { SqlSessionStore, SqlSignInStore } from '../../adapters/sign-in/sql-sign-in-store.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import type { Config } from '../../config.ts';
import { DAY_MS, HOUR_MS, type UnixMs } from '../../core/units.ts';
import { pruneAudit } from '../../service/accounts/audit.ts';
import { publishFault, repeat } from '../../service/serving/repeat.ts';
import { purgeSignIn } from '../../service/sign-in/purge-sign-in.ts';

/**
 * Deletes rows past their retention, and the traces of deleted text, at the start and once an hour. It runs in
 * the thread with the records, on a connection of its own.
 */
export function pruneRecords(config: Config, by: Parameters<typeof repeat>[0]): { stop(): Promise<void> } {
  const db = connectDatabase(config, BULK_DEADLINE);
  const [accounts, beacons, collection] = [
    new KyselyAccountStore(db),
    new SqlBeaconStore(db),
    new SqlCollectionStore(db),
  ];
  const signIn = {
    oauth: new SqlOAuthStore(db),
    sessions: new SqlSessionStore(db),
    signIn: new SqlSignInStore(db),
    factors: new SqlSecondFactorStore(db),
  };
  const drops: readonly (readonly [what: string, drop: (now: UnixMs) => Promise<unknown>])[] = [
    ['change numbers', (now) => pruneChanges(db, now - DAY_MS)],
    ['audit rows', (now) => pruneAudit(accounts, now)],
    ['exits of beacons', (now) => beacons.prune(now)],
    ['sign-in rows', (now) => purgeSignIn(signIn, now)],
    ['counts of own collection', (now) => collection.prune(now)],
    ['deleted text', () => emptyWriteLog(db)],
  ];
  const running = drops.map(([what, drop]) => {
    const name = `dropping old ${what}`;
    // Clears a fault that a dead thread may have left on the operator page.
    publishFault(by.publish, name, undefined);
    return repeat(by, name, HOUR_MS, () => drop(systemClock.now()), {
      firstMs: 0,
      meanwhile: 'they stay for another hour',
    });
  });
  return {
    async stop() {
      await Promise.all(running.map((one) => one.stop()));
      await db.destroy();
    },
  };
}

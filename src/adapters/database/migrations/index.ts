import type { Migration } from 'kysely/migration';
import { up as accounts } from './0001-accounts.ts';
import { up as signIn } from './0002-sign-in.ts';
import { up as storeIdentity } from './0003-store-identity.ts';
import { up as verifiedAccounts } from './0005-verified-accounts.ts';
import { up as noAttempts } from './0006-no-attempts.ts';
import { up as secondFactors } from './0007-second-factors.ts';
import { up as auditActors } from './0008-audit-actors.ts';
import { up as beacons } from './0010-beacons.ts';
import { up as sendOnlyKeys } from './0011-send-only-keys.ts';
import { up as newestAccounts } from './0012-newest-accounts.ts';
import { up as collection } from './0013-collection.ts';
import { up as heartbeats } from './0014-heartbeats.ts';
import type { MIGRATION_NAMES } from './names.ts';

/**
 * Every migration in order, forward only. To add one: a new file with the next number that exports `up(db)`, its name in names.ts, and one line
 * at the end of this table.
 * A migration that has been released is never edited: it has run somewhere.
 */
export const MIGRATIONS: Readonly<Record<(typeof MIGRATION_NAMES)[number], Migration>> = {
  '0001-accounts': { up: accounts },
  '0002-sign-in': { up: signIn },
  '0003-store-identity': { up: storeIdentity },
  '0005-verified-accounts': { up: verifiedAccounts },
  '0006-no-attempts': { up: noAttempts },
  '0007-second-factors': { up: secondFactors },
  '0008-audit-actors': { up: auditActors },
  '0010-beacons': { up: beacons },
  '0011-send-only-keys': { up: sendOnlyKeys },
  '0012-newest-accounts': { up: newestAccounts },
  '0013-collection': { up: collection },
  '0014-heartbeats': { up: heartbeats },
};

import type { Kysely } from 'kysely';
import { SqlBeaconStore } from '../../adapters/beacons/sql-beacon-store.ts';
import type { Database } from '../../adapters/database/tables.ts';
import type { BeaconDirectory } from '../../apps/http/services.ts';
import { isKeyText } from '../../core/caller/key-text.ts';
import type { KeyHasher } from '../../service/accounts/key-hasher.ts';
import type { BeaconStore } from '../../service/beacons/beacon-store.ts';

export interface OpenBeacons {
  readonly store: BeaconStore;
  readonly directory: BeaconDirectory;
}

/** Beacons over an open records database. Nothing is remembered of a token, so that no thread knows less than the store. */
export function openBeacons(db: Kysely<Database>, hasher: KeyHasher): OpenBeacons {
  const store = new SqlBeaconStore(db);
  return {
    store,
    directory: { find: async (token) => (isKeyText(token, 'pb_') ? store.findByHash(hasher.hash(token)) : undefined) },
  };
}

/** Rows of the beacon module. Times are milliseconds since 1970; a day is the number of a UTC date. */
export interface BeaconTables {
  /** `hash`: keyed hash of the token. `exits`: exits that were new, counted for good. */
  beacons: {
    id: string;
    hash: string;
    prefix: string;
    risk_type: string;
    pool: string | null;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    last_seen_at: number | null;
    exits: number;
  };
  /** Addresses a beacon was seen from; forgotten when they were not seen for EXIT_KEPT_DAYS. */
  beacon_exits: { beacon_id: string; ip: string; last_at: number };
  /** `captures` of the date, distinct `exits` of the date, and those of them that were not known (`new_exits`). */
  beacon_days: { beacon_id: string; day: number; captures: number; exits: number; new_exits: number };
}

/** Times are milliseconds since 1970; a day is the number of a UTC date. */
export interface BeaconTables {
  /** `hash` is the keyed hash of the token. `exits` counts exits that were new and never falls. */
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
  /** An address that a beacon was seen from is deleted after EXIT_KEPT_DAYS without a sighting. */
  beacon_exits: { beacon_id: string; ip: string; last_at: number };
  /** Captures and distinct exits of the date; `new_exits` are those that were not known before. */
  beacon_days: { beacon_id: string; day: number; captures: number; exits: number; new_exits: number };
}

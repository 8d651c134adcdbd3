import type { Flag } from './flag.ts';

/** Rows of the account module. Times are milliseconds since 1970; a null limit means: as the plan says. */
export interface AccountTables {
  plans: PlanRow;
  accounts: AccountRow;
  api_keys: ApiKeyRow;
}

export interface PlanRow {
  name: string;
  per_min: number;
  per_day: number;
  overage_pct: number;
  data_tier: 'basic' | 'professional';
  phone_eligible: Flag;
  phone_per_min: number;
  phone_per_day: number;
}

export interface AccountRow {
  id: string;
  /** Lower case, unique. */
  email: string;
  /** argon2id in the PHC string format; null: no sign-in with a password. */
  password_hash: string | null;
  plan: string;
  per_min: number | null;
  per_day: number | null;
  overage_pct: number | null;
  phone_per_min: number | null;
  phone_per_day: number | null;
  history_days: number | null;
  dpa: Flag;
  phone: Flag;
  operator: Flag;
  disabled: Flag;
  /** When the address was proved by a link, or an operator vouched for it; null: neither. */
  verified_at: number | null;
  /** The operator pages open only to a session with a second factor. */
  require_factor: Flag;
  created_at: number;
}

export interface ApiKeyRow {
  id: string;
  account_id: string;
  name: string;
  /** HMAC-SHA256 of the secret under the deployment secret, base64url. */
  hash: string;
  prefix: string;
  per_day: number | null;
  expires_at: number | null;
  revoked_at: number | null;
  phone: Flag;
  /** JSON of SendLimits; null: a key that is not send-only. */
  sends: string | null;
  /** EvidenceRight; null: none */
  evidence: string | null;
  created_at: number;
  last_used_at: number | null;
}

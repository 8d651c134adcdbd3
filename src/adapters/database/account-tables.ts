import type { Flag } from './flag.ts';

/** Times are milliseconds since 1970. A null limit means the plan's limit. */
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
  email: string;
  /** argon2id in the PHC string format; null for accounts without a password. */
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
  verified_at: number | null;
  allow_list: string | null;
  require_factor: Flag;
  created_at: number;
}

export interface ApiKeyRow {
  id: string;
  account_id: string;
  name: string;
  hash: string;
  prefix: string;
  per_day: number | null;
  expires_at: number | null;
  revoked_at: number | null;
  phone: Flag;
  sends: string | null;
  evidence: string | null;
  policy: string | null;
  bouncer: string | null;
  created_at: number;
  last_used_at: number | null;
}

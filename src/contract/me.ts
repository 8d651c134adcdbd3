/** Body of GET /v1/me (interface, "Me"). Imports nothing. */
export interface Me {
  readonly tier: 'ip' | 'user' | 'key';
  readonly quota_scope: 'ip' | 'account';
  readonly plan: string;
  readonly per_min: number;
  readonly per_day: number;
  readonly overage_pct?: number;
  readonly quota_day_tz: string;
  readonly used_today?: number;
  readonly remaining?: number;
  readonly over_today?: number;
  readonly reset_unix?: number;
  readonly key_prefix?: string;
  readonly created_at?: string;
  readonly key_per_day?: number;
  readonly capabilities?: {
    readonly phone?: { readonly used_today: number; readonly refunded_today: number; readonly remaining: number };
  };
  readonly sales_contact?: string;
}

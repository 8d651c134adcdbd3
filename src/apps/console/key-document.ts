import type { ConsoleKey } from '../../contract/console.ts';
import type { ApiKey } from '../../core/caller/caller.ts';
import { evidenceRightFlags } from '../../core/collection/source-limits.ts';
import { isoTime } from '../../service/iso-time.ts';

export const keyDocument = (key: ApiKey, usedToday: number): ConsoleKey => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  phone: key.phone,
  send_only: key.sends !== undefined,
  ...key.sends,
  ...evidenceRightFlags(key),
  ...(key.bouncer && {
    bouncer: { min_score: key.bouncer.minScore, max: key.bouncer.max, single_addresses: key.bouncer.single },
  }),
  created_at: isoTime(key.createdAt),
  used_today: usedToday,
  ...(key.perDay === undefined ? {} : { per_day: key.perDay }),
  ...(key.expiresAt === undefined ? {} : { expires_at: isoTime(key.expiresAt) }),
  ...(key.revokedAt === undefined ? {} : { revoked_at: isoTime(key.revokedAt) }),
  ...(key.lastUsedAt === undefined ? {} : { last_used_at: isoTime(key.lastUsedAt) }),
});

import type { ConsoleOpenSession } from '../../contract/console.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { SessionRow } from '../../service/sign-in/session.ts';

export const sessionDocument = (
  { id, createdAt, seenAt, country, agent }: SessionRow,
  isCurrent: boolean,
): ConsoleOpenSession => ({
  id,
  current: isCurrent,
  opened_at: isoTime(createdAt),
  seen_at: isoTime(seenAt),
  ...(country === undefined ? {} : { country }),
  ...(agent === '' ? {} : { agent }),
});

import type { ConsoleOverride } from '../../contract/console.ts';
import type { Override } from '../../core/risk/override.ts';
import { isoTime } from '../iso-time.ts';

export const describeOverride = ({ prefix, from, until, deny, reason }: Override): Omit<ConsoleOverride, 'id'> => ({
  prefix,
  ...(deny === undefined ? { allow: true } : { deny }),
  reason,
  from: isoTime(from),
  until: isoTime(until),
});

import type { UnixMs } from '../../core/units.ts';
import type { CountedEvent, EventActor } from '../accounts/account-store.ts';
import type { ImportOutcome } from './import-captures.ts';

/** The evidence store has its sources. @param subject account of the key, or source of the beacon */
export const deliveryEvent = (
  actor: EventActor,
  subject: string,
  { accepted, refused }: Pick<ImportOutcome, 'accepted' | 'refused'>,
  at: UnixMs,
): CountedEvent => ({
  action: 'evidence.deliver',
  actor,
  subject,
  detail: {},
  counts: { count: 1, accepted, refused: Object.values(refused).reduce((sum, { count }) => sum + count, 0) },
  at,
});

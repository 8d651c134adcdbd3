import { DAY_MS } from '../../core/units.ts';

/** Publishers have a new file a month; one that was refused may be mended within days. */
const CADENCE_MS = 30 * DAY_MS;
const RETRY_MS = DAY_MS;

/**
 * When the publisher of a layer is to be asked next, Unix milliseconds: a month after it was asked, a day after its content was refused.
 * @param update `checked_at` is an ISO 8601 time; left out or unreadable, the publisher was never asked and is due
 */
export function layerDueAt({
  checked_at,
  refused,
}: {
  readonly checked_at?: string;
  readonly refused?: string;
}): number {
  const at = Date.parse(checked_at ?? '');
  return Number.isNaN(at) ? 0 : at + (refused === undefined ? CADENCE_MS : RETRY_MS);
}

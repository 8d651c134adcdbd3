import type { Said } from '../../core/texts/said.ts';
import { DAY_MS } from '../../core/units.ts';

/** Publishers have a new file a month; one that was refused may be mended within days. */
const CADENCE_MS = 30 * DAY_MS;
const RETRY_MS = DAY_MS;

/** A publisher is due a month after it was asked, a day after a refusal, and at once if it never was asked. */
export function layerDueAt({ checked_at, refused }: { readonly checked_at?: string; readonly refused?: Said }): number {
  const at = Date.parse(checked_at ?? '');
  return Number.isNaN(at) ? 0 : at + (refused === undefined ? CADENCE_MS : RETRY_MS);
}

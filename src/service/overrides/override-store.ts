import type { Override } from '../../core/risk/override.ts';
import type { By } from '../accounts/account-store.ts';

/**
 * Overrides of this installation, in the accounts database. Every change has an audit row and reaches every
 * node.
 */
export interface OverrideStore {
  /** @param most maximum in force at once */
  add(override: Override, by: By, most: number): Promise<'added' | 'too_many'>;
  /** Ends an override now; one that has ended stays unchanged. */
  remove(id: string, by: By): Promise<Override | 'unknown_override'>;
  /** Includes ended ones, newest first. */
  all(): Promise<readonly Override[]>;
}

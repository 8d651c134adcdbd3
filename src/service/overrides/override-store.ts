import type { Override } from '../../core/risk/override.ts';
import type { By } from '../accounts/account-store.ts';

/** The overrides of this installation, in the database of accounts. Every change has its audit row and reaches every node. */
export interface OverrideStore {
  /** @param most how many may be in force */
  add(override: Override, by: By, most: number): Promise<'added' | 'too_many'>;
  /** Ends an override now; one that has ended stays as it is. */
  remove(id: string, by: By): Promise<Override | 'unknown_override'>;
  /** Ended ones too, newest first. */
  all(): Promise<readonly Override[]>;
}

import type { Override } from '../../core/risk/override.ts';
import type { By } from '../accounts/account-store.ts';

/** Holds overrides in the accounts database. Every change has an audit row and reaches every node. */
export interface OverrideStore {
  add(override: Override, by: By, most: number): Promise<'added' | 'too_many'>;
  /** An override that has ended stays unchanged. */
  remove(id: string, by: By): Promise<Override | 'unknown_override'>;
  all(): Promise<readonly Override[]>;
}

import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** The phone capability: first whether the plan can hold it, then whether it is enabled for the account and for this key (interface, Authentication 5). */
export function requirePhone({ caller }: Exchange): void {
  if (caller?.kind !== 'key' && caller?.kind !== 'user') throw new Problem('key_required');
  if (!caller.account.phoneEligible) throw new Problem('capability_not_eligible');
  if (!caller.account.phoneEnabled || (caller.kind === 'key' && !caller.key.phone))
    throw new Problem('capability_not_enabled');
}

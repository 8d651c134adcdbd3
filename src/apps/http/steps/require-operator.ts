import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** An account marked operator, by key or signed in. The mark is read again at every request. */
export function requireOperator({ caller, session }: Exchange): void {
  if (session?.account.operator === true || (caller?.kind === 'key' && caller.account.operator)) return;
  throw new Problem('forbidden', {
    message:
      session === undefined
        ? 'This path takes keys of operator accounts only.'
        : 'These pages are for operator accounts.',
  });
}

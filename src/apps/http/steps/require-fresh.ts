import { isFresh } from '../../../core/sign-in/is-fresh.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** A session whose holder has proved in the last 15 minutes who they are. The site's pages read `next_step`, ask for the proof and send the request again. */
export function requireFresh({ session, at }: Exchange): void {
  if (session !== undefined && isFresh(session.authenticatedAt, at)) return;
  throw new Problem('forbidden', {
    message: 'Confirm that it is you: the sign-in of this session is older than 15 minutes.',
    extras: { next_step: 'confirm_identity' },
  });
}

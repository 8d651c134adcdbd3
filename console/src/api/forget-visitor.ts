import { forgetAllBatches } from '../bulk/kept-batches.ts';
import { forgetRecent } from '../pages/home/keep-recent.ts';

const NAME = 'pulse-signed-in';

/** Notes that what this browser keeps from now on is of a signed-in account. */
export function noteSignedIn(): void {
  try {
    localStorage.setItem(NAME, 'yes');
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}

/**
 * Forgets what a signed-in visitor looked up, for the next person at this browser. An anonymous visitor's
 * addresses stay until they are cleared.
 */
export function forgetVisitor(): void {
  try {
    if (localStorage.getItem(NAME) === null) return;
    localStorage.removeItem(NAME);
  } catch {
    return;
  }
  forgetAllBatches();
  forgetRecent();
}

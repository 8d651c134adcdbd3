import { clientCounters, LIMITS } from '../../../core/limits/limits.ts';
import { admit } from '../../../service/limiter.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';

/** What the store knows of a credential. A throw says nothing about it. */
interface Question<Found> {
  readonly kind: 'unknownKey' | 'unknownToken';
  readonly ask: () => Found | Promise<Found>;
  readonly isKnown: (found: Found) => boolean;
}

/**
 * Asks the store about a key, token or session. The client pays before the question and gets it back when the credential was known or the store could not answer:
 * a stranger that makes credentials up reaches the store a bounded number of times, and good ones as often as they come.
 * @throws Problem rate_limited, and what `ask` throws
 */
export function judgeCredential<Found>(
  exchange: Exchange,
  { limiter }: Pick<HttpServices, 'limiter'>,
  question: Question<Found>,
): Found | Promise<Found> {
  const counters = clientCounters(question.kind, LIMITS[question.kind], exchange.client!);
  const giveBack = (): void => void limiter.giveBack(counters, exchange.at);
  const settle = (found: Found): Found => {
    if (question.isKnown(found)) giveBack();
    return found;
  };
  const failed = (error: unknown): never => {
    giveBack();
    throw error;
  };
  const asked = (): Found | Promise<Found> => {
    try {
      const found = question.ask();
      return found instanceof Promise ? found.then(settle, failed) : settle(found);
    } catch (error) {
      return failed(error);
    }
  };
  const waiting = admit(limiter, counters, exchange.at);
  return waiting === undefined ? asked() : waiting.then(asked);
}

/** Middleware for Express, Connect and whatever else hands on `(request, response, next)`. */
import { checkedOptions, type GuardOptions, judge, keepOutcome, type Outcome, refusalOf } from './guard.ts';

export { type Outcome, outcomeOf } from './guard.ts';

interface ResponseLike {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

export interface ExpressGuardOptions<Request extends object, Response> extends GuardOptions {
  /**
   * Address of the client. Behind a proxy set Express's `trust proxy` to that proxy and give `request.ip`;
   * never read X-Forwarded-For yourself.
   */
  readonly clientAddress: (request: Request) => string | undefined;
  /** Your own name of the client's account, for `allow.accounts`. */
  readonly account?: (request: Request) => string | undefined;
  /** In place of the plain 403, 429 or 503. `next` lets the request go on after all. Not called in mode `observe`. */
  readonly onDeny?: (request: Request, response: Response, outcome: Outcome, next: (error?: unknown) => void) => void;
}

/**
 * Asks about the client of every request. `outcomeOf(request)` has the outcome behind it.
 * @throws TypeError for options that cannot be meant
 */
export function pulseGuard<Request extends object, Response extends ResponseLike>(
  options: ExpressGuardOptions<Request, Response>,
): (request: Request, response: Response, next: (error?: unknown) => void) => void {
  checkedOptions(options);
  return (request, response, next) => {
    judge(options, options.clientAddress(request), options.account?.(request))
      .then((outcome) => {
        keepOutcome(request, outcome);
        const refusal = refusalOf(outcome);
        if (refusal === undefined) return next();
        if (options.onDeny !== undefined) return options.onDeny(request, response, outcome, next);
        response.statusCode = refusal.status;
        response.setHeader('Content-Type', 'application/json');
        response.setHeader('Cache-Control', 'no-store');
        response.end(refusal.body);
      })
      .catch(next);
  };
}

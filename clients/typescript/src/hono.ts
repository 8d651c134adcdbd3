/** Middleware for Hono, on any of its runtimes. */
import { checkedOptions, type GuardOptions, judge, keepOutcome, type Outcome, refusalOf } from './guard.ts';

export { type Outcome, outcomeOf } from './guard.ts';

interface ContextLike {
  readonly req: { header(name: string): string | undefined };
}

export interface HonoGuardOptions<Context extends ContextLike = ContextLike> extends GuardOptions {
  /**
   * Address of the client: the peer of the connection in your runtime (`getConnInfo(c).remote.address`), or a
   * header that your own proxy always overwrites.
   */
  readonly clientAddress: (context: Context) => string | undefined;
  /** Your own name of the client's account, for `allow.accounts`. */
  readonly account?: (context: Context) => string | undefined;
  /** In place of the plain 403, 429 or 503. `next` lets the request go on after all. Not called in mode `observe`. */
  readonly onDeny?: (
    context: Context,
    outcome: Outcome,
    next: () => Promise<void>,
  ) => Response | undefined | Promise<Response | undefined>;
}

/**
 * Asks about the client of every request. `outcomeOf(context)` has the outcome behind it.
 * @throws TypeError for options that cannot be meant
 */
export function pulseGuard<Context extends ContextLike = ContextLike>(
  options: HonoGuardOptions<Context>,
): (context: Context, next: () => Promise<void>) => Promise<Response | undefined> {
  checkedOptions(options);
  return async (context, next) => {
    const outcome = await judge(options, options.clientAddress(context), options.account?.(context));
    keepOutcome(context, outcome);
    const refusal = refusalOf(outcome);
    if (refusal === undefined) {
      await next();
      return undefined;
    }
    if (options.onDeny !== undefined) return await options.onDeny(context, outcome, next);
    return new Response(refusal.body, {
      status: refusal.status,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
  };
}

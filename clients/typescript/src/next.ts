/** For the middleware (proxy) of Next.js, and any handler of a web Request: workers, Deno, Bun. */
import { checkedOptions, type GuardOptions, judge, keepOutcome, type Outcome, refusalOf } from './guard.ts';

export { type Outcome, outcomeOf } from './guard.ts';

export interface NextGuardOptions<R extends Request = Request> extends GuardOptions {
  /** Address of the client: a header that your platform or your own proxy always overwrites, such as `x-real-ip`. A client can write X-Forwarded-For. */
  readonly clientAddress: (request: R) => string | undefined;
  /** In place of the plain 403, 429 or 503. */
  readonly onDeny?: (request: R, outcome: Outcome) => Response | Promise<Response>;
}

/**
 * Asks about the client of a request. The response is the refusal; undefined lets the request go on (`NextResponse.next()`). `outcomeOf(request)` has the outcome.
 * @throws TypeError for options that cannot be meant
 */
export function pulseGuard<R extends Request = Request>(
  options: NextGuardOptions<R>,
): (request: R) => Promise<Response | undefined> {
  checkedOptions(options);
  return async (request) => {
    const outcome = await judge(options, options.clientAddress(request));
    keepOutcome(request, outcome);
    const refusal = refusalOf(outcome);
    if (refusal === undefined) return undefined;
    if (options.onDeny !== undefined) return await options.onDeny(request, outcome);
    return new Response(refusal.body, {
      status: refusal.status,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
  };
}

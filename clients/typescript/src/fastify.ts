/** Plugin for Fastify 4 and 5: `await app.register(pulseGuard, options)`. */
import { checkedOptions, type GuardOptions, judge, keepOutcome, type Outcome, refusalOf } from './guard.ts';

export { type Outcome, outcomeOf } from './guard.ts';

interface RequestLike {
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface ReplyLike {
  code(status: number): ReplyLike;
  header(name: string, value: string): ReplyLike;
  send(body: string): unknown;
}

interface AppLike {
  addHook(name: 'onRequest', hook: (request: RequestLike, reply: ReplyLike) => Promise<unknown>): unknown;
}

export interface FastifyGuardOptions extends GuardOptions {
  /** Address of the client. Behind a proxy set Fastify's `trustProxy` to that proxy and give `request.ip`; never read X-Forwarded-For yourself. */
  readonly clientAddress: (request: RequestLike) => string | undefined;
  /** In place of the plain 403, 429 or 503; it sends the reply. */
  readonly onDeny?: (request: RequestLike, reply: ReplyLike, outcome: Outcome) => unknown;
}

/** Asks about the client of every request of the app it is registered on. `outcomeOf(request)` has the outcome behind it. @throws TypeError */
export async function pulseGuard(app: AppLike, options: FastifyGuardOptions): Promise<void> {
  checkedOptions(options);
  app.addHook('onRequest', async (request, reply) => {
    const outcome = await judge(options, options.clientAddress(request));
    keepOutcome(request, outcome);
    const refusal = refusalOf(outcome);
    if (refusal === undefined) return undefined;
    if (options.onDeny !== undefined) return options.onDeny(request, reply, outcome);
    return reply
      .code(refusal.status)
      .header('content-type', 'application/json')
      .header('cache-control', 'no-store')
      .send(refusal.body);
  });
}

// Fastify would keep the hook to a context of the plugin's own, where no route is.
Object.defineProperty(pulseGuard, Symbol.for('skip-override'), { value: true });

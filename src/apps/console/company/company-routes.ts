import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ownAddress } from '../../../core/caller/own-address.ts';
import { pathPrefix } from '../../../core/oauth/oauth-addresses.ts';
import { safeNextPath } from '../../../core/oauth/safe-next-path.ts';
import type { Clock } from '../../../service/ports.ts';
import { Problem } from '../../../service/problem.ts';
import { type SignOnRefusal, SignOnRefused } from '../../../service/sign-in/company-provider.ts';
import type { CompanySignOn } from '../../../service/sign-in/company-sign-on.ts';
import type { Sessions } from '../../../service/sign-in/session.ts';
import type { SignInResult } from '../../../service/sign-in/sign-in.ts';
import { PAGE_HEADERS } from '../../http/pages/page.ts';
import { pageLanguage } from '../../http/pages/page-language.ts';
import type { Log } from '../../http/services.ts';
import { fieldsOf } from '../session/body-of.ts';
import type { DeviceCookie } from '../session/device-cookie.ts';
import { factorAskedDocument } from '../session/factor-asked-document.ts';
import type { SessionCookie } from '../session/session-cookie.ts';
import { visitorOf } from '../session/visitor-of.ts';
import { companyPage } from './company-page.ts';
import type { OpenSignOn, SignOnCookie } from './sign-on-cookie.ts';

export interface CompanyRoutesOptions {
  /** Undefined where the operator has set no provider. */
  readonly company: CompanySignOn | undefined;
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly device: DeviceCookie;
  readonly signOn: SignOnCookie;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly log: Log;
}

const CALLBACK = '/console/company/callback';

const STATUS: Readonly<Record<SignOnRefusal, number>> = {
  away: 503,
  untrusted: 502,
  expired: 400,
  declined: 403,
  stale: 403,
  email: 403,
  taken: 403,
  role: 403,
  disabled: 403,
  other: 403,
};

/** The other reasons are the person's own, and are counted in the audit log where they matter. */
const LOGGED: ReadonlySet<SignOnRefusal> = new Set(['away', 'untrusted', 'stale']);

/**
 * Company sign-on. Both paths are opened by the browser itself and answer with a redirect or a page.
 *
 *     GET [/en]/console/company?next=PATH[&fresh=yes|&confirm=yes]   on to the provider
 *     GET /console/company/callback?code&state                       back from it: opens a session
 *
 * `fresh` asks the person to sign in at the provider again. `confirm` proves the holder of the session that
 * is open here again, and opens none.
 */
export function companyRoutes(app: FastifyInstance, options: CompanyRoutesOptions): void {
  const { company, sessions, cookie, device, signOn, clock, log } = options;
  const addressFor = ownAddress(options.baseUrl);
  const addressOf = ({ headers }: FastifyRequest): string => addressFor(headers.host);

  const send = (reply: FastifyReply, status: number, text: string): FastifyReply =>
    reply.code(status).headers(PAGE_HEADERS).send(text);

  const redirect = (reply: FastifyReply, location: string, cookies: readonly string[]): FastifyReply =>
    reply
      .code(303)
      .headers({ ...PAGE_HEADERS, location, 'set-cookie': [...cookies] })
      .send();

  async function orRefusal(
    reply: FastifyReply,
    { language, next }: Pick<OpenSignOn, 'language' | 'next'>,
    work: (company: CompanySignOn) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    if (company === undefined) throw new Problem('not_found');
    try {
      return await work(company);
    } catch (error) {
      if (!(error instanceof SignOnRefused)) throw error;
      const { reason, message } = error;
      if (LOGGED.has(reason)) log.warn({ reason, why: message }, 'company sign-on failed');
      return send(reply, STATUS[reason], companyPage(language, reason, next));
    }
  }

  for (const language of ['zh', 'en'] as const)
    app.get(`${pathPrefix(language)}/console/company`, (request, reply) => {
      const query = fieldsOf(request.query);
      const next = safeNextPath(query['next']) ?? '';
      return orRefusal(reply, { language, next }, async (company) => {
        const confirms = query['confirm'] === 'yes';
        const fresh = confirms || query['fresh'] === 'yes';
        const at = clock.now();
        const session = confirms ? await sessions.find(cookie.read(request.headers.cookie), at) : undefined;
        if (confirms && session === undefined) throw new SignOnRefused('expired');
        const { url, checks } = await company.start(`${addressOf(request)}${CALLBACK}`, fresh);
        const open = { checks, language, next, fresh, ...(session !== undefined && { sessionId: session.id }) };
        return redirect(reply, url, [signOn.set(open, at)]);
      });
    });

  app.get(CALLBACK, (request, reply) => {
    const at = clock.now();
    const open = signOn.read(request.headers.cookie, at);
    const language = open?.language ?? pageLanguage(request.headers);
    const next = open?.next ?? '';
    reply.header('set-cookie', signOn.clear());
    return orRefusal(reply, { language, next }, async (company) => {
      if (open === undefined) throw new SignOnRefused('expired');
      const answer = { ...open, callback: new URL(request.url, addressOf(request)) };
      const visitor = visitorOf(request, open.language, options);
      if (open.sessionId === undefined) return arrive(reply, open, await company.signIn(answer, visitor));
      const session = await sessions.find(cookie.read(request.headers.cookie), at);
      if (session?.id !== open.sessionId) throw new SignOnRefused('expired');
      const asked = await company.confirm(session, answer, visitor);
      if (asked !== undefined) return arrive(reply, open, asked);
      return send(reply, 200, companyPage(language, 'confirmed'));
    });
  });

  /** Leads on to where the person wanted to go, or first to the page that asks for the second factor. */
  function arrive(reply: FastifyReply, { language, next }: OpenSignOn, entered: SignInResult): FastifyReply {
    const prefix = pathPrefix(language);
    if ('step' in entered) {
      const asked = Buffer.from(JSON.stringify(factorAskedDocument(entered))).toString('base64url');
      const query = next === '' ? '' : `?next=${encodeURIComponent(next)}`;
      return redirect(reply, `${prefix}/console/sign-in${query}#factor=${asked}`, []);
    }
    const at = clock.now();
    return redirect(reply, next || `${prefix}/console`, [
      cookie.set(entered.token, at, entered.expiresAt),
      device.set(entered.device, at),
    ]);
  }
}

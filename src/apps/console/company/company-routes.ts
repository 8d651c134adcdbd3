import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ownAddress } from '../../../core/caller/client-address.ts';
import { html } from '../../../core/html/html.ts';
import { type ConsoleLanguage, pathPrefix } from '../../../core/oauth/oauth-addresses.ts';
import { safeNextPath } from '../../../core/oauth/safe-next-path.ts';
import type { Clock } from '../../../service/ports.ts';
import { Problem } from '../../../service/problem.ts';
import type { CompanySignOn } from '../../../service/sign-in/company-sign-on.ts';
import type { Sessions } from '../../../service/sign-in/session.ts';
import type { SignInResult } from '../../../service/sign-in/sign-in.ts';
import { type SignOnRefusal, SignOnRefused } from '../../../service/sign-in/sign-in-ports.ts';
import { PAGE_HEADERS, page } from '../../http/pages/page.ts';
import { pageLanguage } from '../../http/pages/page-language.ts';
import type { Log } from '../../http/services.ts';
import { factorAskedDocument } from '../documents.ts';
import type { DeviceCookie, SessionCookie } from '../session/cookies.ts';
import { fieldsOf, visitorOf } from '../session/session-of.ts';
import type { OpenSignOn, SignOnCookie } from './sign-on-cookie.ts';

interface CompanyRoutesOptions {
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

/** @param next path that the sign-in was to lead to */
function companyPage(language: ConsoleLanguage, kind: SignOnRefusal | 'confirmed', next = ''): string {
  const words = COMPANY_TEXTS[language];
  const [title, text] = words[kind];
  const query = next === '' ? '' : `?next=${encodeURIComponent(next)}`;
  const back = html`<p><a href="${pathPrefix(language)}/console/sign-in${query}">${words.back}</a></p>`;
  return page(language, title, html`<h1>${title}</h1><p>${text}</p>${kind === 'confirmed' ? undefined : back}`);
}

type Words = Readonly<Record<SignOnRefusal | 'confirmed', readonly [title: string, text: string]>>;

const COMPANY_TEXTS: Readonly<Record<ConsoleLanguage, Words & { readonly back: string }>> = {
  en: {
    back: 'To the sign-in page',
    away: [
      'Company sign-on does not answer',
      'Your company’s sign-in service cannot be reached now, or refuses this one. Try again shortly; signing in with a password still works. The operator finds the reason in the log.',
    ],
    untrusted: [
      'The answer of company sign-on was not accepted',
      'It failed a check, so nobody was signed in. Start again. If it happens again, tell the operator of this service.',
    ],
    expired: [
      'This sign-in has expired',
      'It took too long, was finished already, or was started in another browser or tab. Start again.',
    ],
    declined: ['You were not signed in', 'The sign-in was declined at your company’s sign-in service.'],
    stale: [
      'Company sign-on did not confirm that it is you',
      'Its answer does not say that you have just signed in there. Try again. If it happens again, tell the operator: the provider must send the claim auth_time.',
    ],
    email: [
      'Your company names no verified mail address for you',
      'An account needs a mail address that your company’s sign-in service has verified. Ask those who run it.',
    ],
    taken: [
      'There is an account with your mail address already',
      'Its address was never proved here, so it may belong to somebody else and is not connected. If it is yours, set a new password by mail, whose link proves the address, and then sign in here again; or ask the operator of this service.',
    ],
    role: [
      'You may not sign in here',
      'Your company’s sign-in service does not give you the role that this service asks for. Ask those who run it.',
    ],
    disabled: ['This account is disabled', 'Ask the operator of this service.'],
    other: [
      'That was another account',
      'You signed in at your company as somebody else than the holder of this session. Nothing was changed.',
    ],
    confirmed: ['It is you', 'Close this page, go back to the other one and go on there.'],
  },
  zh: {
    back: '返回登录页',
    away: [
      '公司登录没有响应',
      '暂时无法连接贵公司的登录服务，或它拒绝了本服务。请稍后重试；使用密码登录不受影响。管理员可以在日志中查看原因。',
    ],
    untrusted: [
      '公司登录的应答未被接受',
      '应答没有通过校验，因此没有登录。请重新开始；如果再次出现，请联系本服务的管理员。',
    ],
    expired: ['本次登录已失效', '登录超时、已经完成，或是在另一个浏览器或标签页中发起的。请重新开始。'],
    declined: ['没有登录', '贵公司的登录服务拒绝了本次登录，或登录已被取消。'],
    stale: [
      '公司登录没有确认你的身份',
      '应答没有说明你刚刚登录过。请重试；如果再次出现，请告诉管理员：登录服务必须提供 auth_time 声明。',
    ],
    email: ['公司没有提供已验证的邮箱', '账户需要一个由贵公司登录服务验证过的邮箱地址。请联系负责该服务的人员。'],
    taken: [
      '已有使用此邮箱的账户',
      '该账户的邮箱从未在此验证，可能属于他人，因此没有关联。如果是你的账户，请通过邮件设置新密码（邮件中的链接会验证邮箱），然后再次从这里登录；也可以联系本服务的管理员。',
    ],
    role: ['你无权登录', '贵公司的登录服务没有给你本服务要求的角色。请联系负责该服务的人员。'],
    disabled: ['此账户已停用', '请联系本服务的管理员。'],
    other: ['这是另一个账户', '你在公司登录的身份不是当前会话的持有人。没有做任何更改。'],
    confirmed: ['身份已确认', '请关闭本页，回到原来的页面继续操作。'],
  },
};

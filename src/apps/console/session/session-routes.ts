import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleAccount, ConsoleFactorAsked, ConsoleOpenSession } from '../../../contract/console.ts';
import type { CountedEvent } from '../../../service/accounts/account-store.ts';
import type { Clock } from '../../../service/ports.ts';
import { Problem } from '../../../service/problem.ts';
import type { AuthorisedApps } from '../../../service/sign-in/authorised-apps.ts';
import { isOfCompany, lacksFactor, type Session, type Sessions } from '../../../service/sign-in/session.ts';
import { type SignIn, type SignInResult, sessionEndEvent, type Visitor } from '../../../service/sign-in/sign-in.ts';
import { accountDocument, appDocument, factorAskedDocument, sessionDocument } from '../documents.ts';
import type { DeviceCookie, SessionCookie } from './cookies.ts';
import { bodyOf, sessionOf, visitorOf } from './session-of.ts';

export interface SessionRoutesOptions {
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly apps: AuthorisedApps;
  readonly cookie: SessionCookie;
  readonly device: DeviceCookie;
  readonly clock: Clock;
  readonly onEvent: (event: CountedEvent) => void;
}

/**
 * Sign-in, sign-up, passwords and authorised apps for the site's pages, below /console/api. A change must
 * come from this site and, where it needs a session, carry X-CSRF-Token.
 *
 *     GET    /session             {account, csrf}; 401 sign_in_required without a session
 *     POST   /session/sign-in     {email, password}            {account, csrf}, or {factor} where one is due
 *     POST   /session/factor      {step, code} or {step, passkey}   {account, csrf}; 204 after a confirm
 *     POST   /session/confirm     {password}                   proves the holder again: 204, or {factor}
 *     POST   /session/sign-out
 *     GET    /sessions            {sessions}, last used first
 *     DELETE /sessions/{id}       ends one session
 *     DELETE /sessions            ends all sessions, this one included
 *     POST   /session/sign-up     {email, password, language}  {account, csrf}, or {mailed: true}
 *     POST   /session/verify      {token, password}            completes a sign-up by mail: {account, csrf}
 *     POST   /session/operator    {token, email, password}     creates the first operator's account:
 *                                                              {account, csrf}
 *     POST   /session/forgot      {email, language}            {mailed}: whether this deployment sends mail
 *     POST   /session/reset       {token, password, revoke_keys?}   as sign-in
 *     POST   /session/password    {current, next, revoke_keys?}
 *     GET    /apps                {apps}
 *     DELETE /apps/{client_id}
 */
export function sessionRoutes(app: FastifyInstance, options: SessionRoutesOptions): void {
  signInRoutes(app, options);
  openSessionRoutes(app, options);
  appRoutes(app, options);
}

function signInRoutes(app: FastifyInstance, options: SessionRoutesOptions): void {
  const { sessions, signIn, cookie, device, clock } = options;

  const visitor = (request: FastifyRequest): Visitor =>
    visitorOf(request, bodyOf(request)['language'] === 'en' ? 'en' : 'zh', options);

  async function enter(reply: FastifyReply, entered: SignInResult): Promise<ConsoleSession | FactorAwaited> {
    if ('step' in entered) return { factor: factorAskedDocument(entered) };
    const at = clock.now();
    const session = await sessions.find(entered.token, at);
    if (session === undefined) throw new Problem('invalid_credentials');
    reply.header('set-cookie', [cookie.set(entered.token, at, entered.expiresAt), device.set(entered.device, at)]);
    return documentOf(session);
  }

  app.get('/console/api/session', async (request) => documentOf(sessionOf(request)));

  app.post('/console/api/session/sign-in', async (request, reply) => {
    const { email, password } = bodyOf(request);
    return await enter(reply, await signIn.signIn(email, password, visitor(request)));
  });

  app.post('/console/api/session/factor', async (request, reply) => {
    const { step, code, passkey } = bodyOf(request);
    const proved = await signIn.proveFactor(step, { code, passkey }, visitor(request));
    return proved === 'confirmed' ? reply.code(204).send() : await enter(reply, proved);
  });

  app.post('/console/api/session/confirm', async (request, reply) => {
    const asked = await signIn.confirm(sessionOf(request), bodyOf(request)['password'], visitor(request));
    return asked === undefined ? reply.code(204).send() : { factor: factorAskedDocument(asked) };
  });

  app.post('/console/api/session/sign-up', async (request, reply) => {
    const { email, password } = bodyOf(request);
    const entered = await signIn.signUp(email, password, visitor(request));
    return entered === 'mailed' ? { mailed: true } : await enter(reply, entered);
  });

  app.post('/console/api/session/verify', async (request, reply) => {
    const { token, password } = bodyOf(request);
    return await enter(reply, await signIn.verify(token, password, visitor(request)));
  });

  app.post('/console/api/session/operator', async (request, reply) => {
    const { token, email, password } = bodyOf(request);
    return await enter(reply, await signIn.firstOperator(token, email, password, visitor(request)));
  });

  app.post('/console/api/session/forgot', async (request) => {
    await signIn.requestReset(bodyOf(request)['email'], visitor(request));
    return { mailed: signIn.mailed };
  });

  app.post('/console/api/session/reset', async (request, reply) => {
    const { token, password, revoke_keys } = bodyOf(request);
    return await enter(
      reply,
      await signIn.reset(token, { next: password, alsoKeys: revoke_keys === true }, visitor(request)),
    );
  });

  app.post('/console/api/session/password', async (request, reply) => {
    const { current, next, revoke_keys } = bodyOf(request);
    await signIn.changePassword(
      sessionOf(request),
      current,
      { next, alsoKeys: revoke_keys === true },
      visitor(request),
    );
    return reply.code(204).send();
  });
}

function openSessionRoutes(
  app: FastifyInstance,
  { sessions, signIn, cookie, clock, onEvent }: SessionRoutesOptions,
): void {
  app.post('/console/api/session/sign-out', async (request, reply) => {
    const at = clock.now();
    const accountId = await sessions.end(cookie.read(request.headers.cookie), at);
    if (accountId !== undefined) onEvent(sessionEndEvent(accountId, 'sign-out', at));
    return reply.code(204).header('set-cookie', cookie.clear()).send();
  });

  app.get('/console/api/sessions', async (request): Promise<{ readonly sessions: readonly ConsoleOpenSession[] }> => {
    const { id, account } = sessionOf(request);
    const open = await sessions.list(account.id, clock.now());
    return { sessions: open.map((row) => sessionDocument(row, row.id === id)) };
  });

  app.delete('/console/api/sessions/:id', async (request, reply) => {
    const { account } = sessionOf(request);
    const { id } = request.params as { readonly id: string };
    if (!(await sessions.endOne(account.id, id)))
      throw new Problem('not_found', { message: 'The account has no such session.' });
    onEvent(sessionEndEvent(account.id, 'one', clock.now()));
    return reply.code(204).send();
  });

  app.delete('/console/api/sessions', async (request, reply) => {
    const { account } = sessionOf(request);
    await signIn.endEverywhere(account.id, clock.now());
    return reply.code(204).header('set-cookie', cookie.clear()).send();
  });
}

function appRoutes(app: FastifyInstance, { apps, clock }: SessionRoutesOptions): void {
  app.get('/console/api/apps', async (request) => {
    const { account } = sessionOf(request);
    return { apps: (await apps.list(account.id, clock.now())).map(appDocument) };
  });

  app.delete('/console/api/apps/:clientId', async (request, reply) => {
    const { account } = sessionOf(request);
    const { clientId } = request.params as { readonly clientId: string };
    if (!(await apps.disconnect(account.id, clientId, clock.now())))
      throw new Problem('not_found', { message: 'No such app is signed in to this account.' });
    return reply.code(204).send();
  });
}

interface ConsoleSession {
  readonly account: ConsoleAccount;
  readonly csrf: string;
  /** True for an operator who signed in without a second factor. */
  readonly lacks_factor?: true;
  /** True for a sign-in at the company's provider, which then proves the holder again. */
  readonly of_company?: true;
}

const documentOf = ({ account, csrf, amr }: Session): ConsoleSession => ({
  csrf,
  account: accountDocument(account),
  ...(account.operator && lacksFactor(amr) && { lacks_factor: true }),
  ...(isOfCompany(amr) && { of_company: true }),
});

interface FactorAwaited {
  readonly factor: ConsoleFactorAsked;
}

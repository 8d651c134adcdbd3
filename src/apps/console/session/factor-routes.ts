import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ConsoleFactors } from '../../../contract/console.ts';
import type { By } from '../../../service/accounts/account-store.ts';
import type { Clock } from '../../../service/ports.ts';
import type { SecondFactors } from '../../../service/sign-in/second-factors.ts';
import { type AuthenticationMethod, firstMethod, type Sessions } from '../../../service/sign-in/session.ts';
import type { WebAuthnJson } from '../../../service/sign-in/sign-in-ports.ts';
import { factorsDocument } from '../documents.ts';
import { bodyOf, sessionOf } from './session-of.ts';

export interface FactorRoutesOptions {
  readonly factors: SecondFactors;
  readonly sessions: Sessions;
  readonly clock: Clock;
}

interface Added {
  /** Shown only once, with the account's first factor. */
  readonly recovery_codes?: readonly string[];
}

/**
 * Second factors of the signed-in account, below /console/api/session/factors. Every change needs a fresh
 * sign-in (`requireFresh`).
 *
 *     GET    /                        {totp?, passkeys, recovery_codes_left, passkeys_work, required}
 *     POST   /totp                    {step, secret, uri}
 *     POST   /totp/confirm            {step, code}            {recovery_codes?}
 *     POST   /passkeys/options        {step, options}
 *     POST   /passkeys                {step, name, response}  {recovery_codes?}
 *     PATCH  /id/{id}                 {name}
 *     DELETE /id/{id}
 *     POST   /recovery-codes          {recovery_codes}: replaces the former ones
 */
export function factorRoutes(app: FastifyInstance, { factors, sessions, clock }: FactorRoutesOptions): void {
  const by = (request: FastifyRequest): By => ({ actor: `user:${sessionOf(request).account.id}`, at: clock.now() });

  /**
   * This session has just proved the new factor; the account's other sessions have not.
   */
  async function added(
    request: FastifyRequest,
    method: AuthenticationMethod,
    codes: readonly string[] | undefined,
  ): Promise<Added> {
    const { id, account, amr } = sessionOf(request);
    await sessions.authenticate(id, [firstMethod(amr), method], clock.now());
    if (codes === undefined) return {};
    await sessions.endAll(account.id, id);
    return { recovery_codes: codes };
  }

  app.get('/console/api/session/factors', async (request): Promise<ConsoleFactors> => {
    const { account } = sessionOf(request);
    return factorsDocument(await factors.status(account.id), account);
  });

  app.post(
    '/console/api/session/factors/totp',
    async (request): Promise<{ readonly step: string; readonly secret: string; readonly uri: string }> => {
      return await factors.startTotp(sessionOf(request).account, clock.now());
    },
  );

  app.post('/console/api/session/factors/totp/confirm', async (request): Promise<Added> => {
    const { step, code } = bodyOf(request);
    return await added(
      request,
      'otp',
      await factors.finishTotp(sessionOf(request).account.id, step, code, by(request)),
    );
  });

  app.post(
    '/console/api/session/factors/passkeys/options',
    async (request): Promise<{ readonly step: string; readonly options: WebAuthnJson }> => {
      return await factors.startPasskey(sessionOf(request).account, clock.now());
    },
  );

  app.post('/console/api/session/factors/passkeys', async (request): Promise<Added> => {
    const { step, name, response } = bodyOf(request);
    return await added(
      request,
      'pop',
      await factors.finishPasskey(sessionOf(request).account.id, step, response, name, by(request)),
    );
  });

  app.patch('/console/api/session/factors/id/:id', async (request, reply) => {
    const { id } = request.params as { readonly id: string };
    await factors.renamePasskey(sessionOf(request).account.id, id, bodyOf(request)['name'], by(request));
    return reply.code(204).send();
  });

  app.delete('/console/api/session/factors/id/:id', async (request, reply) => {
    const { id } = request.params as { readonly id: string };
    const { account } = sessionOf(request);
    await factors.remove(account.id, id, account.requireFactor === true, by(request));
    return reply.code(204).send();
  });

  app.post('/console/api/session/factors/recovery-codes', async (request): Promise<Added> => {
    return { recovery_codes: await factors.renewRecoveryCodes(sessionOf(request).account.id, by(request)) };
  });
}

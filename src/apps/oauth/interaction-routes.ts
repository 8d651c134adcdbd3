import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import { checkRedirectUri } from '../../core/oauth/check-redirect-uri.ts';
import { clientDocumentUrl } from '../../core/oauth/client-document-url.ts';
import { SCOPE } from '../../core/oauth/lifetimes.ts';
import { type ConsoleLanguage, oauthAddresses, pathPrefix } from '../../core/oauth/oauth-addresses.ts';
import { agentFamily } from '../../core/sign-in/agent-family.ts';
import { isFresh } from '../../core/sign-in/is-fresh.ts';
import { Problem } from '../../service/problem.ts';
import type { Session } from '../../service/sign-in/session.ts';
import { type NewSession, type SignInResult, sessionEndEvent, type Visitor } from '../../service/sign-in/sign-in.ts';
import { StoreUnavailable } from '../../service/store-unavailable.ts';
import { PAGE_HEADERS } from '../http/pages/page.ts';
import { checkCredentials, mayBeSession } from '../http/steps/identify-caller.ts';
import { isSameSite, needsFactor } from '../http/steps/require.ts';
import { ownRequest, rawResponse } from './call-provider.ts';
import type { OAuthRoutesOptions, ProviderFor } from './oauth-routes-options.ts';
import {
  type ConsentApp,
  consentPage,
  errorPage,
  type FormFault,
  factorPage,
  mailSentPage,
  signInPage,
  signUpPage,
} from './pages.ts';
import { storeFault } from './store-fault.ts';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

interface Open {
  readonly uid: string;
  readonly path: string;
  readonly interaction: Interaction;
  readonly app: ConsentApp;
  readonly session: Session | undefined;
}

const FAULTS: Readonly<Record<string, FormFault>> = {
  invalid_credentials: 'wrongPair',
  rate_limited: 'tooMany',
  weak_password: 'weak',
  bad_request: 'badEmail',
  email_taken: 'taken',
  forbidden: 'unproved',
  link_invalid: 'stepOver',
};

/**
 * Pages where an account holder signs in and decides, at [/en]/console/oauth/{uid}. They work without
 * scripts.
 */
export function interactionRoutes(
  app: FastifyInstance,
  language: ConsoleLanguage,
  providerFor: ProviderFor,
  options: OAuthRoutesOptions,
): void {
  const { sessions, signIn, cookie, device, clock } = options;
  const base = `${pathPrefix(language)}/console/oauth`;

  const send = (reply: FastifyReply, text: string, status = 200): FastifyReply =>
    reply.code(status).headers(PAGE_HEADERS).send(text);
  const visitor = (request: FastifyRequest): Visitor => ({
    client: request.exchange.client!,
    device: device.read(request.headers.cookie),
    agent: agentFamily(request.headers['user-agent'] ?? ''),
    at: clock.now(),
    language,
  });

  /**
   * Returns the interaction in the path if this browser started it; otherwise it answers and returns
   * undefined.
   */
  async function open(request: FastifyRequest, reply: FastifyReply): Promise<Open | undefined> {
    const { uid } = request.params as { readonly uid: string };
    const provider = await providerFor(request);
    const interaction = await provider
      .interactionDetails(ownRequest(provider, request), rawResponse(reply))
      .catch(unlessGone);
    if (interaction === undefined || interaction.uid !== uid) {
      send(reply, errorPage(language, 'invalid_request', 'expired'), 400);
      return undefined;
    }
    const session = await sessionOf(request);
    return {
      uid,
      path: `${base}/${uid}`,
      interaction,
      app: await askingApp(provider, interaction).catch(rethrow),
      session,
    };
  }

  /**
   * Returns this browser's console session. An unknown one is charged, as on the console.
   * @throws Problem rate_limited
   */
  async function sessionOf({ exchange, headers }: FastifyRequest): Promise<Session | undefined> {
    if (!mayBeSession(headers.cookie)) return undefined;
    return await checkCredentials(exchange, options, {
      kind: 'unknownToken',
      ask: () => sessions.find(cookie.read(headers.cookie), exchange.at),
      isKnown: (found: Session | undefined) => found !== undefined,
    });
  }

  /**
   * The session may decide if it was proved in the last 15 minutes: a stolen session could authorise an app
   * for 30 days. Any other signs in again.
   */
  const deciding = ({ session }: Open): Session | undefined =>
    session !== undefined && isFresh(session.authenticatedAt, clock.now()) ? session : undefined;

  /**
   * Binds form tokens to this sign-in and its session, so that consent counts only for the account that was
   * shown.
   */
  const bindingOf = ({ uid, session }: Open): string => `oauth:${uid}:${session?.id ?? ''}`;
  const csrfOf = (at: Open): string => sessions.csrf(bindingOf(at));

  function show(
    reply: FastifyReply,
    at: Open,
    form: 'sign-in' | 'sign-up',
    more: { readonly fault?: FormFault; readonly waitSec?: number; readonly email?: string } = {},
    status = 200,
  ): FastifyReply {
    const { path, app: asking } = at;
    const session = deciding(at);
    if (session !== undefined && needsFactor(session))
      return send(reply, errorPage(language, 'access_denied', 'noFactor'), 403);
    if (session !== undefined)
      return send(
        reply,
        consentPage({ language, path, csrf: csrfOf(at), app: asking, accountEmail: session.account.email }),
        status,
      );
    const page = form === 'sign-in' ? signInPage : signUpPage;
    return send(
      reply,
      page({
        language,
        path,
        csrf: csrfOf(at),
        app: asking,
        signUp: signIn.policy,
        email: at.session?.account.email ?? '',
        ...more,
      }),
      status,
    );
  }

  app.get(`${base}/:uid`, async (request, reply) => {
    const at = await open(request, reply);
    return at === undefined ? reply : show(reply, at, 'sign-in');
  });

  app.get(`${base}/:uid/sign-up`, async (request, reply) => {
    const at = await open(request, reply);
    return at === undefined ? reply : show(reply, at, 'sign-up');
  });

  app.post(`${base}/:uid`, async (request, reply) => {
    const at = await open(request, reply);
    if (at === undefined) return reply;
    const form = new URLSearchParams(String(request.body ?? ''));
    if (!isSameSite(request.headers, options.baseUrl) || !sessions.csrfMatches(bindingOf(at), form.get('csrf')))
      return send(reply, errorPage(language, 'invalid_request', 'forged'), 403);
    switch (form.get('action')) {
      case 'sign-in':
        return await enter(request, reply, at, 'sign-in', form, () =>
          signIn.signIn(form.get('email'), form.get('password'), visitor(request)),
        );
      case 'sign-up':
        return await enter(request, reply, at, 'sign-up', form, () =>
          signIn.signUp(form.get('email'), form.get('password'), visitor(request)),
        );
      case 'factor':
        return await enterWithFactor(request, reply, at, form);
      case 'sign-out': {
        const now = clock.now();
        const accountId = await sessions.end(cookie.read(request.headers.cookie), now);
        if (accountId !== undefined) options.onEvent(sessionEndEvent(accountId, 'sign-out', now));
        return reply
          .code(303)
          .headers({ ...PAGE_HEADERS, 'set-cookie': cookie.clear(), location: at.path })
          .send();
      }
      case 'approve': {
        const session = deciding(at);
        if (session === undefined || needsFactor(session)) return show(reply, at, 'sign-in');
        return await finish(request, reply, await approval(request, at, session).catch(rethrow));
      }
      case 'deny':
        return await finish(request, reply, {
          error: 'access_denied',
          error_description: 'the account holder refused',
        });
      default:
        return send(reply, errorPage(language, 'invalid_request', 'forged'), 400);
    }
  });

  async function enter(
    _request: FastifyRequest,
    reply: FastifyReply,
    at: Open,
    name: 'sign-in' | 'sign-up',
    form: URLSearchParams,
    run: () => Promise<SignInResult | 'mailed'>,
  ): Promise<FastifyReply> {
    if (deciding(at) !== undefined) return show(reply, at, name);
    try {
      const entered = await run();
      if (entered === 'mailed') return send(reply, mailSentPage(language));
      if ('step' in entered) return send(reply, askFactor(at, entered.step, entered.passkey !== undefined));
      return arrive(reply, at, entered);
    } catch (error) {
      const { fault, status, waitSec } = formFault(reply, error);
      return show(reply, at, name, { fault, ...waitSec, email: form.get('email') ?? '' }, status);
    }
  }

  const arrive = (reply: FastifyReply, at: Open, entered: NewSession): FastifyReply => {
    const now = clock.now();
    return reply
      .code(303)
      .headers({
        ...PAGE_HEADERS,
        'set-cookie': [cookie.set(entered.token, now, entered.expiresAt), device.set(entered.device, now)],
        location: at.path,
      })
      .send();
  };

  const askFactor = (
    at: Open,
    step: string,
    passkey: boolean,
    more: { readonly fault?: FormFault; readonly waitSec?: number } = {},
  ): string => factorPage({ language, path: at.path, csrf: csrfOf(at), app: at.app, step, passkey, ...more });

  /** Checks the code of the second factor. An expired step leads back to the password. */
  async function enterWithFactor(
    request: FastifyRequest,
    reply: FastifyReply,
    at: Open,
    form: URLSearchParams,
  ): Promise<FastifyReply> {
    if (deciding(at) !== undefined) return show(reply, at, 'sign-in');
    const step = form.get('step') ?? '';
    try {
      const proved = await signIn.proveFactor(step, { code: form.get('code') }, visitor(request));
      return proved === 'confirmed' ? show(reply, at, 'sign-in') : arrive(reply, at, proved);
    } catch (error) {
      const { fault, status, waitSec } = formFault(reply, error);
      if (fault === 'stepOver') return show(reply, at, 'sign-in', { fault }, status);
      return send(
        reply,
        askFactor(at, step, form.get('passkey') === 'yes', {
          fault: fault === 'wrongPair' ? 'wrongCode' : fault,
          ...waitSec,
        }),
        status,
      );
    }
  }

  /**
   * Creates a new grant for every consent, so that an earlier one is not extended. At the cap on grants, the
   * one used longest ago ends.
   */
  async function approval(
    request: FastifyRequest,
    { interaction, app: asking }: Open,
    session: Session,
  ): Promise<Record<string, unknown>> {
    const accountId = session.account.id;
    const clientId = String(interaction.params['client_id']);
    await options.onConsent(
      accountId,
      { client_id: clientId, name: asking.name, host: asking.redirectHost },
      clock.now(),
    );
    await options.store.keepNewestGrants(accountId, ACCOUNT_CAPS.grants - 1);
    const provider = await providerFor(request);
    const grant = new provider.Grant({ accountId, clientId });
    // Both account endpoints are one service with one audience: consent covers both, and a refresh at either
    // issuer must work.
    for (const resource of (['zh', 'en'] as const).map(oauthAddresses(options.baseUrl).resource))
      grant.addResourceScope(resource, SCOPE);
    return { login: { accountId, remember: false }, consent: { grantId: await grant.save() } };
  }

  async function finish(
    request: FastifyRequest,
    reply: FastifyReply,
    result: Record<string, unknown>,
  ): Promise<FastifyReply> {
    const provider = await providerFor(request);
    const to = await provider
      .interactionResult(ownRequest(provider, request), rawResponse(reply), result, { mergeWithLastSubmission: false })
      .catch(rethrow);
    return reply
      .code(303)
      .headers({ ...PAGE_HEADERS, location: to })
      .send();
  }
}

interface FormRefusal {
  readonly fault: FormFault;
  readonly status: number;
  readonly waitSec: { readonly waitSec?: number };
}

/** @throws any error that the form has no words for */
function formFault(reply: FastifyReply, error: unknown): FormRefusal {
  const fault = error instanceof Problem ? FAULTS[error.code] : undefined;
  if (fault === undefined || !(error instanceof Problem)) throw error;
  const wait = error.extras.retry_after;
  if (wait !== undefined) reply.header('retry-after', String(wait));
  return { fault, status: error.status, waitSec: wait === undefined ? {} : { waitSec: wait } };
}

function rethrow(error: unknown): never {
  throw storeFault(error);
}

/** A sign-in that has ended has its own page; one whose rows cannot be read may still be open. */
function unlessGone(error: unknown): undefined {
  const fault = storeFault(error);
  if (fault instanceof StoreUnavailable) throw fault;
}

async function askingApp(provider: Provider, { params }: Interaction): Promise<ConsentApp> {
  const client = await provider.Client.find(String(params['client_id']));
  const verdict = checkRedirectUri(String(params['redirect_uri']));
  return {
    name: client?.clientName ?? '',
    clientHost: clientDocumentUrl(String(params['client_id']))?.host,
    redirectHost: verdict.ok ? verdict.host : '',
    redirectKind: verdict.ok ? verdict.kind : 'custom',
  };
}

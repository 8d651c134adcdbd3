import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import { checkRedirectUri } from '../../core/oauth/check-redirect-uri.ts';
import { clientDocumentUrl } from '../../core/oauth/client-document-url.ts';
import { OFFLINE, SCOPE } from '../../core/oauth/lifetimes.ts';
import { type ConsoleLanguage, oauthAddresses, pathPrefix } from '../../core/oauth/oauth-addresses.ts';
import { isFresh } from '../../core/sign-in/is-fresh.ts';
import { Problem } from '../../service/problem.ts';
import type { Session } from '../../service/sign-in/session.ts';
import { type NewSession, type SignInResult, sessionEndEvent, type Visitor } from '../../service/sign-in/sign-in.ts';
import { StoreUnavailable } from '../../service/store-fault.ts';
import { visitorOf } from '../console/session/session-of.ts';
import { PAGE_HEADERS } from '../http/pages/page.ts';
import { checkCredentials, mayBeSession } from '../http/steps/identify-caller.ts';
import { isSameSite, needsFactor } from '../http/steps/require.ts';
import { ownRequest } from './call-provider.ts';
import type { OAuthRoutesOptions } from './oauth-routes-options.ts';
import {
  type ConsentApp,
  consentPage,
  errorPage,
  type Faulty,
  type FormFault,
  factorPage,
  mailSentPage,
  signInPage,
  signUpPage,
} from './pages.ts';
import { storeFault } from './store-fault.ts';

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;
type EntryForm = 'sign-in' | 'sign-up';

interface InteractionOptions extends OAuthRoutesOptions {
  readonly language: ConsoleLanguage;
  readonly provider: Provider;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
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

/** One request of a browser that signs in for an app and decides about it. Each method sends the answer. */
export class Interaction {
  readonly #options: InteractionOptions;
  readonly #details: Details;
  readonly #app: ConsentApp;
  readonly #session: Session | undefined;
  readonly #path: string;

  private constructor(options: InteractionOptions, details: Details, app: ConsentApp, session: Session | undefined) {
    this.#options = options;
    this.#details = details;
    this.#app = app;
    this.#session = session;
    this.#path = `${pathPrefix(options.language)}/console/oauth/${details.uid}`;
  }

  /**
   * Returns the interaction in the path if this browser started it; otherwise it answers and returns
   * undefined.
   * @throws Problem rate_limited
   */
  static async open(options: InteractionOptions): Promise<Interaction | undefined> {
    const { provider, request, reply, language } = options;
    const { uid } = request.params as { readonly uid: string };
    const details = await provider.interactionDetails(ownRequest(provider, request), reply.raw).catch(unlessGone);
    if (details === undefined || details.uid !== uid) {
      send(reply, errorPage(language, 'invalid_request', 'expired'), 400);
      return undefined;
    }
    const session = await sessionOf(options);
    return new Interaction(options, details, await askingApp(provider, details).catch(rethrow), session);
  }

  /** Shows the consent to a session that may decide, and the form to any other. */
  show(form: EntryForm, more: Faulty & { readonly email?: string } = {}, status = 200): FastifyReply {
    const { language, signIn, hasCompanySignOn } = this.#options;
    const session = this.#deciding();
    if (session !== undefined && needsFactor(session))
      return this.#send(errorPage(language, 'access_denied', 'noFactor'), 403);
    const common = this.#common();
    if (session !== undefined)
      return this.#send(consentPage({ ...common, accountEmail: session.account.email }), status);
    const page = form === 'sign-in' ? signInPage : signUpPage;
    const email = this.#session?.account.email ?? '';
    return this.#send(page({ ...common, signUp: signIn.policy, hasCompanySignOn, email, ...more }), status);
  }

  /** Does what the form of the page asks for. */
  async submit(): Promise<FastifyReply> {
    const { request, language, sessions, signIn, baseUrl } = this.#options;
    const form = new URLSearchParams(String(request.body ?? ''));
    if (!isSameSite(request.headers, baseUrl) || !sessions.csrfMatches(this.#binding(), form.get('csrf')))
      return this.#send(errorPage(language, 'invalid_request', 'forged'), 403);
    const pair = [form.get('email'), form.get('password')] as const;
    switch (form.get('action')) {
      case 'sign-in':
        return await this.#enter('sign-in', form, () => signIn.signIn(...pair, this.#visitor()));
      case 'sign-up':
        return await this.#enter('sign-up', form, () => signIn.signUp(...pair, this.#visitor()));
      case 'factor':
        return await this.#enterWithFactor(form);
      case 'sign-out':
        return await this.#signOut();
      case 'approve': {
        const session = this.#deciding();
        if (session === undefined || needsFactor(session)) return this.show('sign-in');
        return await this.#finish(await this.#approval(session).catch(rethrow));
      }
      case 'deny':
        return await this.#finish({ error: 'access_denied', error_description: 'the account holder refused' });
      default:
        return this.#send(errorPage(language, 'invalid_request', 'forged'), 400);
    }
  }

  async #enter(
    name: EntryForm,
    form: URLSearchParams,
    run: () => Promise<SignInResult | 'mailed'>,
  ): Promise<FastifyReply> {
    if (this.#deciding() !== undefined) return this.show(name);
    try {
      const entered = await run();
      if (entered === 'mailed') return this.#send(mailSentPage(this.#options.language));
      if ('step' in entered) return this.#askFactor(entered.step, entered.passkey !== undefined);
      return this.#arrive(entered);
    } catch (error) {
      const { fault, status, waitSec } = this.#refusal(error);
      return this.show(name, { fault, waitSec, email: form.get('email') ?? '' }, status);
    }
  }

  /** Checks the code of the second factor. An expired step leads back to the password. */
  async #enterWithFactor(form: URLSearchParams): Promise<FastifyReply> {
    if (this.#deciding() !== undefined) return this.show('sign-in');
    const step = form.get('step') ?? '';
    try {
      const proved = await this.#options.signIn.proveFactor(step, { code: form.get('code') }, this.#visitor());
      return proved === 'confirmed' ? this.show('sign-in') : this.#arrive(proved);
    } catch (error) {
      const { fault, status, waitSec } = this.#refusal(error);
      if (fault === 'stepOver') return this.show('sign-in', { fault }, status);
      const shown = fault === 'wrongPair' ? 'wrongCode' : fault;
      return this.#askFactor(step, form.get('passkey') === 'yes', { fault: shown, waitSec }, status);
    }
  }

  async #signOut(): Promise<FastifyReply> {
    const { sessions, cookie, request, clock, onEvent } = this.#options;
    const now = clock.now();
    const accountId = await sessions.end(cookie.read(request.headers.cookie), now);
    if (accountId !== undefined) onEvent(sessionEndEvent(accountId, 'sign-out', now));
    return this.#redirect(this.#path, { 'set-cookie': cookie.clear() });
  }

  #arrive(entered: NewSession): FastifyReply {
    const { cookie, device, clock } = this.#options;
    const now = clock.now();
    return this.#redirect(this.#path, {
      'set-cookie': [cookie.set(entered.token, now, entered.expiresAt), device.set(entered.device, now)],
    });
  }

  #askFactor(step: string, passkey: boolean, more: Faulty = {}, status = 200): FastifyReply {
    return this.#send(factorPage({ ...this.#common(), step, passkey, ...more }), status);
  }

  /**
   * Creates a new grant for every consent, so that an earlier one is not extended. At the cap on grants, the
   * one used longest ago ends.
   */
  async #approval(session: Session): Promise<Record<string, unknown>> {
    const { provider, clock, store, onConsent, baseUrl } = this.#options;
    const { name, redirectHost } = this.#app;
    const accountId = session.account.id;
    const clientId = String(this.#details.params['client_id']);
    await onConsent(accountId, { client_id: clientId, name, host: redirectHost }, clock.now());
    await store.keepNewestGrants(accountId, ACCOUNT_CAPS.grants - 1);
    const grant = new provider.Grant({ accountId, clientId });
    // Both account endpoints are one service with one audience: consent covers both, and a refresh at either
    // issuer must work.
    for (const issuer of ['zh', 'en'] as const) grant.addResourceScope(oauthAddresses(baseUrl).resource(issuer), SCOPE);
    grant.addOIDCScope(OFFLINE);
    return { login: { accountId, remember: false }, consent: { grantId: await grant.save() } };
  }

  async #finish(result: Record<string, unknown>): Promise<FastifyReply> {
    const { provider, request, reply } = this.#options;
    const to = await provider
      .interactionResult(ownRequest(provider, request), reply.raw, result, { mergeWithLastSubmission: false })
      .catch(rethrow);
    return this.#redirect(to);
  }

  /**
   * The session may decide if it was proved in the last 15 minutes: a stolen session could authorise an app
   * for 30 days. Any other signs in again.
   */
  #deciding(): Session | undefined {
    const session = this.#session;
    return session !== undefined && isFresh(session.authenticatedAt, this.#options.clock.now()) ? session : undefined;
  }

  /**
   * Binds form tokens to this sign-in and its session, so that consent counts only for the account that was
   * shown.
   */
  #binding(): string {
    return `oauth:${this.#details.uid}:${this.#session?.id ?? ''}`;
  }

  #common() {
    const { language, sessions } = this.#options;
    return { language, path: this.#path, csrf: sessions.csrf(this.#binding()), app: this.#app };
  }

  #visitor(): Visitor {
    const { request, language } = this.#options;
    return visitorOf(request, language, this.#options);
  }

  /** @throws any error that the form has no words for */
  #refusal(error: unknown) {
    const fault = error instanceof Problem ? FAULTS[error.code] : undefined;
    if (fault === undefined || !(error instanceof Problem)) throw error;
    const waitSec = error.extras.retry_after;
    if (waitSec !== undefined) this.#options.reply.header('retry-after', waitSec);
    return { fault, status: error.status, waitSec };
  }

  #send(text: string, status = 200): FastifyReply {
    return send(this.#options.reply, text, status);
  }

  #redirect(location: string, headers: { readonly 'set-cookie'?: string | string[] } = {}): FastifyReply {
    return this.#options.reply
      .code(303)
      .headers({ ...PAGE_HEADERS, ...headers, location })
      .send();
  }
}

const send = (reply: FastifyReply, text: string, status: number) => reply.code(status).headers(PAGE_HEADERS).send(text);

/** Returns this browser's console session. An unknown one is charged, as on the console. */
async function sessionOf(options: InteractionOptions) {
  const { exchange, headers } = options.request;
  if (!mayBeSession(headers.cookie)) return undefined;
  return await checkCredentials(exchange, options, {
    kind: 'unknownToken',
    ask: () => options.sessions.find(options.cookie.read(headers.cookie), exchange.at),
    isKnown: (found: Session | undefined) => found !== undefined,
  });
}

function rethrow(error: unknown): never {
  throw storeFault(error);
}

/** A sign-in that has ended has its own page; one whose rows cannot be read may still be open. */
function unlessGone(error: unknown) {
  const fault = storeFault(error);
  if (fault instanceof StoreUnavailable) throw fault;
}

async function askingApp(provider: Provider, { params }: Details): Promise<ConsentApp> {
  const client = await provider.Client.find(String(params['client_id']));
  const verdict = checkRedirectUri(String(params['redirect_uri']));
  return {
    name: client?.clientName ?? '',
    clientHost: clientDocumentUrl(String(params['client_id']))?.host,
    redirectHost: verdict.ok ? verdict.host : '',
    redirectKind: verdict.ok ? verdict.kind : 'custom',
  };
}

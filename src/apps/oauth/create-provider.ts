import { generateKeyPairSync, hkdfSync } from 'node:crypto';
import type {
  Adapter,
  AdapterPayload,
  Configuration,
  JWK,
  KoaContextWithOIDC,
  default as ProviderType,
} from 'oidc-provider';
import { ERRORS } from '../../contract/errors.ts';
import { isLoopbackRedirect } from '../../core/oauth/check-redirect-uri.ts';
import { LIFETIME_SEC, OFFLINE, SCOPE } from '../../core/oauth/lifetimes.ts';
import { type ConsoleLanguage, isKnownResource, oauthAddresses, pathPrefix } from '../../core/oauth/oauth-addresses.ts';
import { unixMs } from '../../core/units.ts';
import type { Clock } from '../../service/ports.ts';
import { asProblem } from '../../service/problem.ts';
import type { OAuthContent, OAuthStore } from '../../service/sign-in/oauth-store.ts';
import { originHeaders } from '../http/answer/reply-headers.ts';
import { clientLeft } from '../http/connection/client-left.ts';
import { PAGE_HEADERS } from '../http/pages/page.ts';
import {
  Check,
  CustomOIDCProviderError,
  InvalidGrant,
  InvalidTarget,
  Prompt,
  Provider,
} from './authorization-server.ts';
import type { OAuthRoutesOptions } from './oauth-routes-options.ts';
import { errorPage, openAppPage } from './pages.ts';
import { TEMPORARILY_UNAVAILABLE } from './store-fault.ts';

const REQUEST_ID = 'X-Request-Id';

export interface ProviderOptions
  extends Pick<
    OAuthRoutesOptions,
    'baseUrl' | 'store' | 'clock' | 'secret' | 'formerSecrets' | 'accountLives' | 'mcpOrigins' | 'onFault'
  > {
  readonly issuer: string;
  readonly language: ConsoleLanguage;
}

/**
 * Creates the authorization server of one issuer. Both issuers share rows, keys and audience. Clients are
 * public and use the code flow with S256.
 */
export function createProvider(dependencies: ProviderOptions): ProviderType {
  const provider = new Provider(dependencies.issuer, configurationOf(dependencies));
  provider.proxy = true; // the forwarding headers are ours, never those of the caller
  provider.use(async (ctx, next) => {
    const named = ctx.res.getHeader(REQUEST_ID);
    try {
      await next();
      await tidyAnswer(ctx as unknown as KoaContextWithOIDC, dependencies);
    } catch (error) {
      // On an error the library removes all response headers except those that the error brings.
      throw Object.assign(error as Error, { headers: { [REQUEST_ID]: named } });
    }
  });
  const onFault = (error: Error, { req, res }: Pick<KoaContextWithOIDC, 'req' | 'res'>): void => {
    // The client's own departure is not a fault of ours. An error code alone does not prove it: a database
    // may break off with the same one.
    if (!clientLeft(error, req, res)) dependencies.onFault(error);
  };
  provider.on('server_error', (ctx, error) => onFault(error, ctx));
  (provider as NodeJS.EventEmitter).on('error', (error: Error, ctx: KoaContextWithOIDC) => onFault(error, ctx));
  return provider;
}

function configurationOf(options: ProviderOptions): Configuration {
  const { language, baseUrl, secret } = options;
  const prefix = pathPrefix(language);
  const addresses = oauthAddresses(baseUrl);
  const name = (kind: string): string => `pulse_oauth_${kind}_${language}`;
  return {
    adapter: providerAdapter(options.store, options.clock),
    // The library requires a key that signs nothing here: tokens are opaque, and there is no openid.
    jwks: { keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as JWK] },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
      jwks: '/oauth/jwks',
    },
    cookies: {
      keys: [secret, ...options.formerSecrets].map(cookieKey),
      // Each issuer has its own names and paths, or the two would overwrite each other's cookies.
      names: { session: name('session'), interaction: name('interaction'), resume: name('resume') },
      long: { httpOnly: true, sameSite: 'lax', path: `${prefix}/oauth` },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    scopes: [SCOPE, OFFLINE],
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    pkce: { required: () => true },
    subjectTypes: ['public'],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientDefaults: {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
    extraClientMetadata: { properties: ['software_id', 'software_version'] },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    rotateRefreshToken: true,
    clientBasedCORS: () => true, // the headers are removed below; a refusal would only break callers that send Origin
    ttl: {
      AccessToken: LIFETIME_SEC.accessToken,
      AuthorizationCode: LIFETIME_SEC.authorizationCode,
      Interaction: LIFETIME_SEC.interaction,
      Session: LIFETIME_SEC.session,
      Grant: LIFETIME_SEC.grant,
      RefreshToken: (ctx) => ctx?.oidc?.entities?.RotatedRefreshToken?.remainingTTL ?? LIFETIME_SEC.refreshToken,
    },
    findAccount: async (_ctx, sub) =>
      (await forProvider(() => options.accountLives(sub)))
        ? { accountId: sub, claims: async () => ({ sub }) }
        : undefined,
    // Only the grant of this request's consent counts: an older one must not replace the question.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : await ctx.oidc.provider.Grant.find(grantId);
    },
    interactions: {
      policy: [
        new Prompt(
          { name: 'consent', requestable: true },
          new Check(
            'always_ask',
            'the account holder has to agree',
            'interaction_required',
            (ctx) => ctx.oidc.result?.consent === undefined,
          ),
        ),
      ] as unknown as NonNullable<NonNullable<Configuration['interactions']>['policy']>,
      url: (_ctx, interaction) => `${prefix}/console/oauth/${interaction.uid}`,
    },
    renderError: (ctx, out) => answerPage(ctx, language, String(out.error)),
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => true,
        defaultResource: async (_ctx, _client, oneOf) =>
          (Array.isArray(oneOf) ? oneOf[0] : oneOf) ?? addresses.resource(language),
        getResourceServerInfo: async (_ctx, resource) => {
          if (!isKnownResource([baseUrl], resource)) throw new InvalidTarget();
          return {
            scope: SCOPE,
            audience: addresses.audience,
            accessTokenFormat: 'opaque',
            accessTokenTTL: LIFETIME_SEC.accessToken,
          };
        },
      },
    },
  };
}

/** Fields of a registration answer that this server supports (RFC 7591 3.2.1). */
const CLIENT_KEYS: ReadonlySet<string> = new Set(
  'client_id client_id_issued_at client_name redirect_uris application_type grant_types response_types token_endpoint_auth_method client_uri software_id software_version'.split(
    ' ',
  ),
);

async function tidyAnswer(ctx: KoaContextWithOIDC, { language, mcpOrigins }: ProviderOptions): Promise<void> {
  for (const header of Object.keys(ctx.response.headers)) if (header.startsWith('access-control-')) ctx.remove(header);
  ctx.set(originHeaders(ctx.get('origin'), mcpOrigins));
  const { route, entities } = ctx.oidc ?? {};
  if (route === 'token' && ctx.status === 200) echoOffline(ctx.body as object, entities);
  if (route === 'revocation' && ctx.status === 200) ctx.body = {};
  if (route === 'registration' && ctx.status === 201) {
    ctx.body = Object.fromEntries(Object.entries(ctx.body as object).filter(([key]) => CLIENT_KEYS.has(key)));
  }
  const { location } = ctx.response.headers;
  if (typeof location === 'string') {
    if (route === 'authorization') refuseOpenRedirect(ctx, language, location);
    if (route === 'resume') stayBehindApp(ctx, language, location);
  }
  if (ctx.status === ERRORS.not_ready.status) ctx.set('retry-after', String(ERRORS.not_ready.retryAfterSec));
}

function echoOffline(answer: { scope?: string }, entities: KoaContextWithOIDC['oidc']['entities'] | undefined) {
  const { scopes } = entities?.AuthorizationCode ?? entities?.RefreshToken ?? {};
  if (scopes?.has(OFFLINE)) answer.scope = `${answer.scope} ${OFFLINE}`;
}

/**
 * Any client can register a redirect address, so an error sent there before the user acts would be an open
 * redirect (OAuth 2.0 Security BCP, RFC 9700 4.11.2). It becomes a page of ours, except towards the user's
 * own computer.
 */
function refuseOpenRedirect(ctx: KoaContextWithOIDC, language: ConsoleLanguage, location: string) {
  // Consent is always asked, so here the library only leaves this site with an error, in the query or the
  // fragment.
  if (location.startsWith('/') || isLoopbackRedirect(String(ctx.oidc.params?.redirect_uri ?? ''))) return;
  const target = URL.parse(location);
  const sent = new URLSearchParams(target?.search === '' ? target.hash.slice(1) : target?.search);
  ctx.remove('location');
  answerPage(ctx, language, sent.get('error') ?? 'invalid_request');
}

/**
 * A browser that opens an app stays on the page it was on. It therefore gets a page of its own, which opens the
 * app and repeats the answer as a link.
 */
function stayBehindApp(ctx: KoaContextWithOIDC, language: ConsoleLanguage, location: string) {
  if (/^(?:\/|https?:)/i.test(location)) return;
  ctx.remove('location');
  ctx.status = 200;
  ctx.set({ ...PAGE_HEADERS, refresh: `0; url=${location}` });
  ctx.body = openAppPage(language, location);
}

function answerPage(ctx: KoaContextWithOIDC, language: ConsoleLanguage, error: string) {
  const away = error === TEMPORARILY_UNAVAILABLE;
  ctx.status = away ? ERRORS.not_ready.status : 400;
  ctx.set(PAGE_HEADERS);
  ctx.body = errorPage(language, error, away ? 'away' : 'request');
}

const cookieKey = (secret: Uint8Array) =>
  Buffer.from(hkdfSync('sha256', secret, '', 'pulse oauth cookies', 32)).toString('base64url');

function providerAdapter(store: OAuthStore, clock: Clock): (kind: string) => Adapter {
  const found = (ask: () => Promise<OAuthContent | undefined>) =>
    forProvider(ask) as Promise<AdapterPayload | undefined>;
  return (kind) => ({
    upsert: (id, payload, expiresIn) => {
      const at = clock.now();
      const expiresAt = typeof expiresIn === 'number' ? unixMs(at + expiresIn * 1000) : undefined;
      return forProvider(() => store.upsert(kind, id, { ...payload }, at, expiresAt));
    },
    find: (id) => found(() => store.find(kind, id, clock.now())),
    findByUid: (uid) => found(() => store.findByUid(kind, uid, clock.now())),
    findByUserCode: async () => undefined,
    async consume(id) {
      // The library checks and marks a code or refresh token in two steps. The second step must have exactly
      // one winner.
      if (!(await forProvider(() => store.consume(kind, id, clock.now()))))
        throw new InvalidGrant('used by a request at the same time');
    },
    destroy: (id) => forProvider(() => store.destroy(kind, id)),
    revokeByGrantId: (grantId) => forProvider(() => store.revokeByGrant(kind, grantId)),
  });
}

/** Reports an unreachable store as temporarily_unavailable; the library would report a server_error. */
async function forProvider<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (asProblem(cause).code !== 'not_ready') throw cause;
    const away = new CustomOIDCProviderError(
      TEMPORARILY_UNAVAILABLE,
      'the service cannot reach its records now; try again shortly',
    );
    throw Object.assign(away, { status: 503, statusCode: 503, cause });
  }
}

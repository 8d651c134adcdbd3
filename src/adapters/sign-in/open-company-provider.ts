import type { Configuration } from 'openid-client';
import type { Config } from '../../config.ts';
import { type Claims, lacksClaims } from '../../core/sign-in/read-claims.ts';
import type { Clock } from '../../service/ports.ts';
import { type CompanyProvider, type SignOnRefusal, SignOnRefused } from '../../service/sign-in/sign-in-ports.ts';
import { NO_ANSWER, networkFault } from '../system/system-fault.ts';

export type CompanyConfig = Pick<
  Config,
  | 'oidcIssuer'
  | 'oidcClientId'
  | 'oidcClientSecret'
  | 'oidcScopes'
  | 'oidcTrustEmail'
  | 'oidcRoleClaim'
  | 'oidcOperatorRole'
  | 'oidcUserRole'
>;

const TIMEOUT_SEC = 5;

/** A provider that is gone is noticed after this time: a person then sees our page and not a browser's. */
const KNOWN_MS = 10_000;

/** The longest that a session here lasts, and the longest ago that a proof counts as recent. */
const MAX_AGE_SEC = { usual: 30 * 24 * 3600, fresh: 15 * 60 } as const;

/** The library loads with the first sign-in: most services have no such provider. */
const library = () => import('openid-client');

/** The provider is asked when somebody signs in, never at the start. @returns undefined without PULSE_OIDC_ISSUER */
export function openCompanyProvider(config: CompanyConfig, clock: Clock): CompanyProvider | undefined {
  if (config.oidcIssuer === undefined) return undefined;
  const rules = {
    trustEmail: config.oidcTrustEmail,
    roleClaim: config.oidcRoleClaim,
    operatorRole: config.oidcOperatorRole,
    userRole: config.oidcUserRole,
  };
  let known: { readonly client: Promise<Configuration>; readonly until: number } | undefined;
  const client = async (): Promise<Configuration> => {
    if (known === undefined || clock.now() >= known.until)
      known = { client: discoverProvider(config, TIMEOUT_SEC), until: clock.now() + KNOWN_MS };
    const asked = known;
    try {
      return await asked.client;
    } catch (error) {
      if (known === asked) known = undefined;
      throw refusedBy(error, 'away');
    }
  };
  return {
    rules,
    async start(redirectUri, fresh) {
      const provider = await client();
      const oidc = await library();
      const checks = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
      };
      const url = oidc.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: config.oidcScopes,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
        // With `max_age` the provider must say when the person signed in (OpenID Connect Core 1.0, 2).
        max_age: String(fresh ? MAX_AGE_SEC.fresh : MAX_AGE_SEC.usual),
        ...(fresh && { prompt: 'login' }),
      });
      return { url: url.href, checks };
    },
    async finish(callback, checks) {
      if (callback.searchParams.get('state') !== checks.state)
        throw new SignOnRefused('expired', 'the state belongs to another sign-in');
      const provider = await client();
      const oidc = await library();
      try {
        const tokens = await oidc.authorizationCodeGrant(provider, callback, {
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          pkceCodeVerifier: checks.verifier,
          idTokenExpected: true,
        });
        const idToken: Claims = { ...tokens.claims() };
        const { iss, sub } = tokens.claims()!;
        const asksMore = lacksClaims(idToken, rules) && provider.serverMetadata().userinfo_endpoint !== undefined;
        const userInfo = asksMore ? [{ ...(await oidc.fetchUserInfo(provider, tokens.access_token, sub)) }] : [];
        return { issuer: iss, subject: sub, documents: [idToken, ...userInfo] };
      } catch (error) {
        throw refusedBy(error, 'untrusted');
      }
    },
  };
}

/**
 * Reads the provider's discovery document.
 * @throws Error where it cannot be read, or describes another issuer; a document for every tenant of a cloud
 * does, and would let strangers in
 */
async function discoverProvider(config: CompanyConfig, timeoutSec: number): Promise<Configuration> {
  const oidc = await library();
  const { oidcIssuer = '', oidcClientId = '', oidcClientSecret } = config;
  const issuer = new URL(oidcIssuer);
  const proof = oidcClientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(oidcClientSecret);
  const found = await oidc.discovery(issuer, oidcClientId, undefined, proof, {
    timeout: timeoutSec,
    execute: [oidc.enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [])],
  });
  if (new URL(found.serverMetadata().issuer).href !== issuer.href)
    throw new Error('the discovery document is that of another issuer');
  return found;
}

/** @returns why nobody can sign in, without anything secret; undefined where the provider answers or there is none */
export async function checkCompanyProvider(config: CompanyConfig, timeoutSec: number): Promise<string | undefined> {
  if (config.oidcIssuer === undefined) return undefined;
  try {
    await discoverProvider(config, timeoutSec);
    return undefined;
  } catch (error) {
    return companyFault(error);
  }
}

interface LibraryError extends Error {
  readonly code?: string;
  readonly error?: string;
}

/** The library's name for 401 with WWW-Authenticate. */
const CHALLENGE = 'WWWAuthenticateChallengeError';

/** Says why in the library's fixed words alone: what it keeps beside them holds tokens and claims. */
function companyFault(error: unknown): string {
  const { name, message, code = '', error: answer } = error as LibraryError;
  const cause = causeOf(error);
  const network = networkFault(`${code} ${cause?.code} ${cause?.name}`);
  if (network !== undefined) return network.cause;
  if (code === 'OAUTH_TIMEOUT') return NO_ANSWER.cause;
  if (name === CHALLENGE || answer === 'invalid_client')
    return 'it refuses this client: PULSE_OIDC_CLIENT_ID or PULSE_OIDC_CLIENT_SECRET is not what it knows';
  if (answer !== undefined) return `it answers ${/^[a-z_]{1,60}$/.test(answer) ? answer : 'an error'}`;
  return code.startsWith('OAUTH_') ? (cause?.message ?? message) : message;
}

const causeOf = (error: unknown): LibraryError | undefined => {
  const { cause } = error as LibraryError;
  return cause instanceof Error ? cause : undefined;
};

/** These mean that nothing usable came, and not that an answer is false. */
const NO_ANSWERS = ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'];

function refusedBy(error: unknown, otherwise: 'away' | 'untrusted'): SignOnRefused {
  const { name, code = '', error: answer } = error as LibraryError;
  const refused = (reason: SignOnRefusal) => new SignOnRefused(reason, companyFault(error));
  // RFC 6749, 4.1.2.1: there is no code, because the person or the provider said no.
  if (name === 'AuthorizationResponseError') return refused(answer === 'access_denied' ? 'declined' : 'untrusted');
  if (name === 'ResponseBodyError') return refused(answer === 'invalid_grant' ? 'expired' : 'away');
  if (name === CHALLENGE || error instanceof TypeError || NO_ANSWERS.includes(code)) return refused('away');
  return refused(otherwise);
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import { ownAddress, sameAddresses } from '../../core/caller/client-address.ts';
import { isRecord, parseJsonBytes } from '../../core/kit/json.ts';
import { Recent } from '../../core/kit/recent.ts';
import { LIMITS, SERVICE_CAPS, siteCounter } from '../../core/limits/limits.ts';
import { clientDocumentUrl } from '../../core/oauth/client-document-url.ts';
import { judgeRegistration } from '../../core/oauth/judge-registration.ts';
import { OFFLINE, SCOPE } from '../../core/oauth/lifetimes.ts';
import {
  type ConsoleLanguage,
  isKnownResource,
  KEYLESS,
  type OAuthAddresses,
  oauthAddresses,
  pathPrefix,
} from '../../core/oauth/oauth-addresses.ts';
import { admit } from '../../service/limiter.ts';
import { asProblem, type Problem } from '../../service/problem.ts';
import { answerProblem } from '../http/answer/answer-problem.ts';
import { answerPreflight, originHeaders } from '../http/answer/reply-headers.ts';
import { PAGE_HEADERS } from '../http/pages/page.ts';
import type { Log } from '../http/services.ts';
import { toolsAsked } from '../mcp/tools.ts';
import { callProvider } from './call-provider.ts';
import { CLIENT_WAIT_SEC, type ClientDocuments, clientDocuments } from './client-documents.ts';
import { interactionRoutes } from './interaction-routes.ts';
import type { OAuthRoutesOptions, ProviderFor } from './oauth-routes-options.ts';
import { errorPage, tooManyPage } from './pages.ts';
import { TEMPORARILY_UNAVAILABLE } from './store-fault.ts';

const BODY_LIMIT = 16 * 1024;

const LANGUAGES: readonly ConsoleLanguage[] = ['zh', 'en'];

export function oauthRoutes(parent: FastifyInstance, options: OAuthRoutesOptions): void {
  parent.register(async (app) => {
    // Bodies stay raw within one limit: forms and JSON are parsed where they are read.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
      done(null, body),
    );
    app.addHook('onSend', async (request, reply) => {
      if (!isPage(request)) reply.headers(originHeaders(request.headers.origin, options.mcpOrigins));
    });
    app.setErrorHandler(async (error, request, reply) => {
      const problem = asProblem(error);
      if (problem.code === 'rate_limited') return answerTooMany(problem, request, reply);
      if (problem.code !== 'not_ready') throw error;
      return answerAway(error, request, reply, options.log);
    });
    const documents = clientDocuments(options);
    for (const language of LANGUAGES) {
      const provider = providersOf(language, options);
      metadataRoutes(app, language, options, documents);
      endpointRoutes(app, language, provider, { ...options, documents });
      interactionRoutes(app, language, provider, options);
    }
  });
}

/** One service keeps providers for this many names and ports of loopback. */
const NAMES_MAX = 8;

/** The library loads at its first request, which saves most starts a sixth of a second. */
function providersOf(language: ConsoleLanguage, options: OAuthRoutesOptions): ProviderFor {
  const addressFor = ownAddress(options.baseUrl);
  const made = new Recent<string, Promise<Provider>>(NAMES_MAX);
  return ({ headers }) => {
    const { issuer } = oauthAddresses(addressFor(headers.host));
    const known = made.get(issuer(language));
    if (known !== undefined) return known;
    const provider = import('./create-provider.ts').then(({ createProvider }) =>
      createProvider({ ...options, language, issuer: issuer(language) }),
    );
    made.set(issuer(language), provider);
    return provider;
  };
}

/**
 * Answers while the store is unreachable: with a page for a person, with the form of RFC 6749 for a program.
 */
function answerAway(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const { status, headers } = answerProblem(error, request.exchange, log);
  for (let at = 0; at < headers.length; at += 2) reply.header(String(headers[at]), headers[at + 1]);
  if (isPage(request)) return sendPage(reply, languageOf(request), TEMPORARILY_UNAVAILABLE, status, 'away');
  return refuse(reply, TEMPORARILY_UNAVAILABLE, 'the service cannot reach its records now; try again shortly', status);
}

/**
 * Answers a refusal of the limiter: with a page for a person, with the form of RFC 6749 and RFC 7591 for a
 * program.
 */
function answerTooMany({ extras }: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const waitSec = extras.retry_after ?? 1;
  if (!isPage(request)) return tooMany(reply, waitSec);
  return reply
    .code(429)
    .headers({ ...PAGE_HEADERS, 'retry-after': String(waitSec) })
    .send(tooManyPage(languageOf(request), waitSec));
}

const isPage = ({ method, url }: FastifyRequest): boolean =>
  (method === 'GET' && !url.startsWith('/.well-known/')) || url.includes('/console/oauth/');
const languageOf = ({ url }: FastifyRequest): ConsoleLanguage => (url.startsWith('/en/') ? 'en' : 'zh');

/** Serves the documents of RFC 8414 and RFC 9728, under the service's own name that was asked. */
function metadataRoutes(
  app: FastifyInstance,
  language: ConsoleLanguage,
  { baseUrl, clock, mcpOrigins }: OAuthRoutesOptions,
  documents: ClientDocuments,
): void {
  const addressFor = ownAddress(baseUrl);
  const prefix = pathPrefix(language);
  const server: typeof resourceMetadata = (addresses) => ({
    ...serverMetadata(addresses, language),
    ...(documents.areOffered(clock.now()) && { client_id_metadata_document_supported: true }),
  });
  for (const [path, documentOf] of [
    [`/.well-known/oauth-authorization-server${prefix}`, server],
    [`/.well-known/oauth-protected-resource${prefix}/mcp/account`, resourceMetadata],
  ] as const)
    for (const url of [path, `${path}/`]) {
      app.get(url, async ({ headers, exchange }, reply) =>
        reply
          .header('cache-control', 'public, max-age=300')
          .send(documentOf(oauthAddresses(addressFor(headers.host)), language, exchange.query)),
      );
      app.options(url, UNLISTED, answerPreflight(mcpOrigins));
    }
}

const UNLISTED = { config: { unlisted: true } };

function serverMetadata(addresses: OAuthAddresses, language: ConsoleLanguage): object {
  const issuer = addresses.issuer(language);
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: [SCOPE, OFFLINE],
    authorization_response_iss_parameter_supported: true,
    ui_locales_supported: [language === 'zh' ? 'zh-CN' : 'en'],
    service_documentation: `${issuer}/docs/mcp`,
  };
}

function resourceMetadata(addresses: OAuthAddresses, language: ConsoleLanguage, query: string): object {
  const issuer = addresses.issuer(language);
  const tools = toolsAsked(query);
  const chosen = tools && `?${tools}`;
  const isKeyless = query.split('&').includes(KEYLESS);
  return {
    resource: isKeyless ? `${addresses.baseUrl}/mcp${chosen}` : addresses.resource(language, chosen),
    authorization_servers: [issuer],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: 'Pulse IP risk lookup',
    resource_documentation: `${issuer}/docs/mcp`,
  };
}

function endpointRoutes(
  app: FastifyInstance,
  language: ConsoleLanguage,
  provider: ProviderFor,
  options: OAuthRoutesOptions & { readonly documents: ClientDocuments },
): void {
  const prefix = pathPrefix(language);
  const { baseUrl, documents, store, clock, mcpOrigins } = options;
  const isOurs = resourceTest(baseUrl);

  app.get(`${prefix}/oauth/authorize`, async (request, reply) => {
    const ours = oauthAddresses(baseUrl).resource(language);
    const query = authorizeQuery(new URL(request.url, baseUrl).searchParams, isOurs(request), ours);
    const clientId = query.get('client_id') ?? '';
    const document = clientDocumentUrl(clientId);
    const admitted = () => admit(options.limiter, registrationCounters(request), clock.now());
    const taken = document && (await documents.take(document, admitted));
    if (taken === 'unread') return sendPage(reply, language, 'invalid_client', 400, 'unread', document?.host);
    const client = taken === 'unfit' ? undefined : await store.find('Client', clientId, clock.now());
    if (client === undefined && clientId !== '')
      return sendPage(reply, language, 'invalid_client', 400, taken ? 'request' : 'unknown');
    startAfresh(request, language);
    callProvider(await provider(request), request, reply, prefix, { url: `/oauth/authorize?${query}` });
    return reply;
  });

  app.get(`${prefix}/oauth/authorize/:uid`, async (request, reply) => {
    startAfresh(request, language);
    // Encoded by us, because the library compares paths byte by byte.
    const { uid } = request.params as { readonly uid: string };
    callProvider(await provider(request), request, reply, prefix, {
      url: `/oauth/authorize/${encodeURIComponent(uid)}`,
    });
    return reply;
  });

  for (const endpoint of ['token', 'revoke'] as const) {
    app.post(`${prefix}/oauth/${endpoint}`, async (request, reply) => {
      const form = tokenForm(request, isOurs(request));
      if (form === undefined) return refuse(reply, 'invalid_target', 'the resource is none of this service');
      const code = form.get('code');
      // OAuth 2.1 has no such parameter, since PKCE binds the code; one that is sent must be that of the sign-in.
      if (code !== null && !form.has('redirect_uri')) {
        const found = await store.find('AuthorizationCode', code, clock.now());
        form.set('redirect_uri', String(found?.['redirectUri'] ?? 'about:blank'));
      }
      const body = Buffer.from(form.toString());
      callProvider(await provider(request), request, reply, prefix, { url: `/oauth/${endpoint}`, body });
      return reply;
    });
  }
  for (const endpoint of ['token', 'revoke', 'register'])
    app.options(`${prefix}/oauth/${endpoint}`, UNLISTED, answerPreflight(mcpOrigins));

  app.post(`${prefix}/oauth/register`, async (request, reply) => {
    const metadata = parseJsonBytes(bodyOf(request));
    if (!isRecord(metadata)) return refuse(reply, 'invalid_client_metadata', 'the body must be a JSON object');
    const verdict = judgeRegistration(metadata);
    if (!verdict.ok) return refuse(reply, verdict.error, verdict.reason);
    await countRegistration(request, reply, options);
    if (!(await options.store.makeRoomForClient(SERVICE_CAPS.oauthClients))) return tooMany(reply, CLIENT_WAIT_SEC);
    request.raw.headers['content-type'] = 'application/json';
    callProvider(await provider(request), request, reply, prefix, {
      url: '/oauth/register',
      body: Buffer.from(JSON.stringify(verdict.client)),
    });
    return reply;
  });
}

/** All other parameters are dropped, as RFC 6749 3.1 asks. */
const AUTHORIZE_PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const;

type ResourceTest = (resource: string) => boolean;

/** Tells whether a resource is this service, under one of the names that mean it. */
function resourceTest(baseUrl: string): (request: FastifyRequest) => ResourceTest {
  const addressFor = ownAddress(baseUrl);
  return ({ headers }) => {
    const addresses = [baseUrl, addressFor(headers.host)].flatMap(sameAddresses);
    return (resource) => isKnownResource(addresses, resource);
  };
}

/** Drops parameters without a value, which mean the same as absent ones (RFC 6749 3.1 and 3.2). */
const withoutEmpty = (sent: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...sent].filter(([, value]) => value !== ''));

/**
 * Returns the request as the library takes it. What cannot be granted stays in it, for the library sends the
 * error to the app (RFC 6749 4.1.2.1).
 */
function authorizeQuery(all: URLSearchParams, isOurs: ResourceTest, ours: string): URLSearchParams {
  const sent = withoutEmpty(all);
  const query = new URLSearchParams();
  for (const name of AUTHORIZE_PARAMETERS) for (const value of sent.getAll(name)) query.append(name, value);
  const mode = sent.get('response_mode');
  if (mode !== null && mode !== 'query') query.set('response_mode', 'none');
  for (const name of ['request', 'request_uri']) if (sent.has(name)) query.set(name, sent.get(name)!);
  query.set('resource', sent.getAll('resource').find((resource) => !isOurs(resource)) ?? ours);
  // Clients ask for no scope, for all they know of, or for these; the consent page explains the one that counts.
  const isOffline = sent.getAll('scope').join(' ').split(' ').includes(OFFLINE);
  query.set('scope', isOffline ? `${SCOPE} ${OFFLINE}` : SCOPE);
  query.set('prompt', sent.get('prompt') === 'none' ? 'none' : 'consent');
  return query;
}

const PROOFS = ['client_secret', 'client_assertion', 'client_assertion_type'] as const;

/**
 * Removes our own resources from a token request. All resources share one audience, so a client may name any of
 * them, but the library accepts only the one of its sign-in.
 * Returns undefined for any other resource. The library would refuse it too, but only after consuming the
 * code or refresh token, and the client's next valid request would then end the whole sign-in.
 * A client that sends its id in a Basic header, with whatever secret, is the public client of that id.
 */
function tokenForm(request: FastifyRequest, isOurs: ResourceTest): URLSearchParams | undefined {
  const form = withoutEmpty(new URLSearchParams(bodyOf(request).toString('utf8')));
  if (!form.getAll('resource').every(isOurs)) return undefined;
  form.delete('resource');
  // There is only one scope; a client that asked for more is granted this one, and may repeat what it asked.
  form.delete('scope');
  for (const name of PROOFS) form.delete(name);
  const [, credentials] = /^basic +([a-z0-9+/=_-]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (credentials !== undefined) {
    const [id = ''] = Buffer.from(credentials, 'base64').toString('utf8').split(':', 1);
    // The id is form-encoded (RFC 6749 2.3.1), which matters to an address.
    if (!form.has('client_id')) form.set('client_id', new URLSearchParams(`id=${id}`).get('id') ?? '');
    delete request.raw.headers.authorization;
  }
  return form;
}

/**
 * Counts registrations per IPv4 address or IPv6 /48. A request that created no client is not counted.
 * @throws Problem rate_limited
 */
async function countRegistration(
  request: FastifyRequest,
  reply: FastifyReply,
  { limiter, clock, log }: OAuthRoutesOptions,
): Promise<void> {
  const at = clock.now();
  const counters = registrationCounters(request);
  await admit(limiter, counters, at);
  reply.raw.once('close', () => {
    if (reply.raw.statusCode === 201) return;
    Promise.resolve(limiter.giveBack(counters, at)).catch((error: unknown) =>
      log.warn({ error }, 'a registration that failed stays counted'),
    );
  });
}

const registrationCounters = ({ exchange: { client } }: FastifyRequest) => [
  siteCounter('registered', LIMITS.registerHour, client!),
  siteCounter('registered day', LIMITS.registerDay, client!),
];

/** OAuth errors keep the form of RFC 6749 and RFC 7591, which clients parse. */
const tooMany = (reply: FastifyReply, waitSec: number): FastifyReply =>
  refuse(reply.header('retry-after', waitSec), TEMPORARILY_UNAVAILABLE, 'too many requests; try again later', 429);

const refuse = (reply: FastifyReply, error: string, description: string, status = 400): FastifyReply =>
  reply.code(status).header('cache-control', 'no-store').send({ error, error_description: description });

const sendPage = (
  reply: FastifyReply,
  language: ConsoleLanguage,
  code: string,
  status: number,
  kind: 'request' | 'away' | 'unread' | 'unknown' = 'request',
  host = '',
): FastifyReply =>
  reply
    .code(status)
    .headers(PAGE_HEADERS)
    .send(errorPage(language, code, kind, host));

const bodyOf = (request: FastifyRequest): Buffer => (Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));

/**
 * Hides the library's session of an earlier sign-in, which may belong to another account: only the console's
 * session decides who consents.
 * The interaction row stores the facts of this sign-in.
 */
function startAfresh({ raw: { headers } }: FastifyRequest, language: ConsoleLanguage): void {
  const name = `pulse_oauth_session_${language}`;
  const kept = headers.cookie?.split(';').filter((part) => !part.trim().startsWith(name));
  headers.cookie = kept?.join(';');
}

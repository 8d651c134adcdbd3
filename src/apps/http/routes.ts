/**
 * Every path of the service stands on this page: methods (GET answers HEAD too), path as fastify writes it,
 * the chain of steps that a request goes through (`chains.ts`; undefined: none), and cost; grouped by the
 * file below src/apps that answers.
 *
 * A server does not start with a route that is not here (`create-app.ts`), and routes.test.ts holds the list
 * against a running server and the OpenAPI document.
 */
import { PAGES } from '../../contract/pages.ts';
import type { CostClass } from '../../core/limits/limits.ts';
import type { ChainName } from './chains.ts';

export type RouteCost = CostClass | 'lookup';

type Row = readonly [methods: string, path: string, chain: ChainName | undefined, cost: RouteCost];
export interface Route {
  readonly methods: string;
  readonly path: string;
  readonly chain: ChainName | undefined;
  readonly file: string;
  readonly cost: RouteCost;
}

export const routesOf = (file: string, ...rows: readonly Row[]): readonly Route[] =>
  rows.map(([methods, path, chain, cost]) => ({ methods, path, chain, file, cost }));

// biome-ignore format: aligned by hand
const IN_ONE_LANGUAGE: readonly Route[] = [
  ...routesOf('http/lane/fast-lane.ts',
    ['GET, OPTIONS', '/v1/ip/:ip',         'ip',          'lookup'],
    ['GET',          '/pulse/v1/ip/:ip',   'pulse',       'lookup'],
    // Beyond the interface (decisions 10.1).
    ['POST',         '/v1/ip/batch',       'ip-batch',    'lookup'],
    ['POST',         '/pulse/v1/ip/batch', 'pulse-batch', 'lookup'],
  ),
  // Beyond the interface (decisions 10.3, 10.4).
  ...routesOf('http/routes/explain/explain-routes.ts',
    ['GET', '/pulse/v1/ip/:ip/explain',  'pulse-app',   'lookup'],
    ['GET', '/pulse/v1/ip/:ip/timeline', 'pulse-range', 'lookup'],
    ['GET', '/v1/score/parameters',      'open-table',  'read'],
  ),
  // Beyond the interface (docs/enforcement.md); below it, whatever a proxy appends and by any of its methods.
  ...routesOf('http/lane/answer-decide.ts',
    ['GET',                                    '/v1/decide',   'decide', 'lookup'],
    ['GET, POST, PUT, PATCH, DELETE, OPTIONS', '/v1/decide/*', 'decide', 'lookup'],
  ),
  // Beyond the interface (decisions 10.5).
  ...routesOf('http/routes/network/network-routes.ts',
    ['GET', '/pulse/v1/network/:network',       'pulse-network', 'lookup'],
    ['GET', '/pulse/v1/network/:network/:bits', 'pulse-network', 'lookup'],
    ['GET', '/console/api/network/:network',    'console-network', 'lookup'],
  ),
  // Beyond the interface (decisions 10.7).
  ...routesOf('http/routes/feedback/feedback-route.ts', ['POST', '/v1/feedback', 'feedback', 'write']),
  ...routesOf('http/routes/me/me-route.ts', ['GET', '/v1/me', 'me', 'read']),
  ...routesOf('http/routes/phone/phone-routes.ts',
    ['POST', '/v1/phone/lookup', 'phone-lookup', 'lookup'],
    ['POST', '/v1/phone/batch',  'phone-batch',  'lookup'],
    ['GET', '/v1/phone/meta/tags',     'phone-meta', 'read'],
    ['GET', '/v1/phone/meta/coverage', 'phone-meta', 'read'],
  ),
  // Beyond the interface (docs/evidence-intake.md): the paths of AbuseIPDB's clients.
  ...routesOf('http/routes/reports/report-routes.ts',
    ['POST', '/api/v2/report', 'report', 'intake'],
    ['GET',  '/api/v2/check',  'check',  'lookup'],
  ),
  // Beyond the interface (docs/export.md): the paths of MaxMind's updater.
  ...routesOf('http/routes/databases/database-routes.ts',
    ['GET', '/geoip/updates/metadata',            'databases', 'read'],
    ['GET', '/geoip/databases/:edition/download', 'databases', 'read'],
    ['GET', '/geoip/databases/:edition/update',   'databases', 'read'],
  ),
  // For operators, beyond the interface (docs/evidence-intake.md).
  ...routesOf('http/routes/evidence/evidence-route.ts', ['POST', '/v1/evidence', 'evidence', 'intake']),
  ...routesOf('http/routes/allow-list/allow-list-routes.ts',
    ['GET', '/v1/allowlist', 'allow-list', 'read'],
    ['PUT', '/v1/allowlist', 'allow-list', 'write'],
  ),
  // Beyond the interface (decisions 10.6): with a key, and signed in.
  ...routesOf('http/routes/watchlists/watchlist-routes.ts',
    ...([['/v1', 'watchlists'], ['/console/api', 'console-watchlists']] as const).flatMap(([base, chain]): readonly Row[] => [
      ['GET',              `${base}/watchlists`,                                 chain, 'read'],
      ['GET, PUT, DELETE', `${base}/watchlists/:id`,                             chain, 'write'],
      ['POST',             `${base}/watchlists/:id/test`,                        chain, 'write'],
      ['GET',              `${base}/watchlists/:id/deliveries`,                  chain, 'read'],
      ['POST',             `${base}/watchlists/:id/deliveries/:delivery/replay`, chain, 'write'],
    ]),
  ),
  // Beyond the interface (docs/enforcement.md).
  ...routesOf('http/routes/lists/list-routes.ts',
    ...([['/v1', 'lists'], ['/console/api', 'console-lists']] as const).flatMap(([base, chain]): readonly Row[] => [
      ['GET',         `${base}/lists`,       chain, 'read'],
      ['GET',         `${base}/lists/:name`, chain, 'read'],
      ['PUT, DELETE', `${base}/lists/:name`, chain, 'write'],
    ]),
    ['GET', '/lists/:name.:format', 'list-file', 'read'],
  ),
  // CrowdSec's bouncer protocol, beyond the interface (docs/enforcement.md).
  ...routesOf('http/routes/bouncer/bouncer-routes.ts',
    ['GET',  '/v1/decisions',        'bouncer', 'read'],
    ['GET',  '/v1/decisions/stream', 'bouncer', 'read'],
    ['GET',  '/v1/heartbeat',        'bouncer', 'read'],
    ['POST', '/v1/usage-metrics',    'bouncer', 'read'],
  ),
  // Beyond the interface (docs/beacons.md).
  ...routesOf('http/routes/beacon/beacon-route.ts', ['POST', '/v1/beacon', 'beacon', 'intake']),
  // Fixed answers for tests, beyond the interface (docs/sandbox.md).
  ...routesOf('http/routes/sandbox/sandbox-routes.ts',
    ['GET', '/sandbox',                 undefined,       'fixed'],
    ['GET', '/sandbox/v1/ip/:ip',       'sandbox-ip',    'fixed'],
    ['GET', '/sandbox/pulse/v1/ip/:ip', 'sandbox-pulse', 'fixed'],
  ),
  ...routesOf('mcp/mcp-routes.ts',
    ['POST', '/mcp',            'mcp',         'handshake'],
    ['POST', '/mcp/account',    'mcp-account', 'handshake'],
    ['POST', '/en/mcp/account', 'mcp-account', 'handshake'],
    ['POST', '/mcp/',            'mcp',         'handshake'],
    ['POST', '/mcp/account/',    'mcp-account', 'handshake'],
    ['POST', '/en/mcp/account/', 'mcp-account', 'handshake'],
  ),
  ...routesOf('http/routes/health/health-route.ts', ['GET', '/healthz', undefined, 'fixed'], ['GET', '/readyz', undefined, 'fixed']),
  ...routesOf('http/openapi/openapi-route.ts', ['GET', '/openapi.json', undefined, 'fixed']),
  ...routesOf('mcp/llms-txt-route.ts', ['GET', '/llms.txt', undefined, 'fixed']),
  ...routesOf('site/docs-routes.ts', ['GET', '/llms-full.txt', undefined, 'read']),
  ...routesOf('mcp/server-json.ts', ['GET', '/server.json', undefined, 'fixed']),
  ...routesOf('console/status-routes.ts', ['GET', '/console/api/status', undefined, 'read']),
  ...routesOf('console/names-route.ts', ['GET', '/console/api/names', undefined, 'read']),
  ...routesOf('console/session/session-routes.ts',
    ['POST',   '/console/api/session/sign-in',  'console-open',  'hash'],
    ['POST',   '/console/api/session/sign-out', 'console-open',  'write'],
    ['POST',   '/console/api/session/sign-up',  'console-open',  'register'],
    ['POST',   '/console/api/session/verify',   'console-open',  'hash'],
    ['POST',   '/console/api/session/operator', 'console-open',  'hash'],
    ['POST',   '/console/api/session/forgot',   'console-open',  'mail'],
    ['POST',   '/console/api/session/reset',    'console-open',  'hash'],
    ['POST',   '/console/api/session/factor',   'console-open',  'hash'],
    ['GET',    '/console/api/session',          'console',       'read'],
    ['POST',   '/console/api/session/confirm',  'console',       'hash'],
    ['POST',   '/console/api/session/password', 'console-fresh', 'hash'],
    ['GET',    '/console/api/sessions',         'console',       'read'],
    ['DELETE', '/console/api/sessions',         'console',       'write'],
    ['DELETE', '/console/api/sessions/:id',     'console',       'write'],
    ['GET',    '/console/api/apps',             'console',       'read'],
    ['DELETE', '/console/api/apps/:clientId',   'console',       'write'],
  ),
  ...routesOf('console/company/company-routes.ts', ['GET', '/console/company/callback', undefined, 'token']),
  ...routesOf('console/session/factor-routes.ts',
    ['GET',           '/console/api/session/factors',                  'console',       'read'],
    ['POST',          '/console/api/session/factors/totp',             'console-fresh', 'write'],
    ['POST',          '/console/api/session/factors/totp/confirm',     'console-fresh', 'write'],
    ['POST',          '/console/api/session/factors/passkeys/options', 'console-fresh', 'write'],
    ['POST',          '/console/api/session/factors/passkeys',         'console-fresh', 'write'],
    ['POST',          '/console/api/session/factors/recovery-codes',   'console-fresh', 'write'],
    ['PATCH, DELETE', '/console/api/session/factors/id/:id',           'console-fresh', 'write'],
  ),
  ...routesOf('console/account-routes.ts',
    ['GET',    '/console/api/keys',     'console',         'read'],
    ['POST',   '/console/api/keys',     'console-new-key', 'write'],
    ['DELETE', '/console/api/keys/:id', 'console',         'write'],
    ['GET',    '/console/api/usage',    'console',         'read'],
  ),
  ...routesOf('console/policy-routes.ts',
    ['GET', '/console/api/policies',      'console', 'read'],
    ['PUT', '/console/api/policies/:key', 'console', 'write'],
  ),
  ...routesOf('console/own-data-routes.ts',
    ['GET',  '/console/api/account/export', 'console',       'read'],
    ['POST', '/console/api/account/delete', 'console-fresh', 'hash'],
  ),
  ...routesOf('console/evidence-routes.ts',
    ['GET', '/console/api/pulse/:ip',          'console-pulse',    'lookup'],
    ['GET', '/console/api/pulse/:ip/timeline', 'console-timeline', 'lookup'],
  ),
  ...routesOf('console/ip-batch-route.ts', ['POST', '/console/api/ip/batch', 'console-ip-batch', 'lookup']),
  ...routesOf('console/phone-routes.ts',
    ['POST', '/console/api/phone/lookup', 'console-phone-lookup', 'lookup'],
    ['POST', '/console/api/phone/batch',  'console-phone-batch',  'lookup'],
  ),
  ...routesOf('console/operator-routes.ts',
    ['GET',   '/console/api/operator/feeds',             'console-operator',        'read'],
    ['POST',  '/console/api/operator/feeds/:id/refresh', 'console-operator-change', 'write'],
    ['PATCH', '/console/api/operator/feeds/:id',         'console-operator-change', 'write'],
    ['POST',  '/console/api/operator/feeds/:id/accept',  'console-operator-change', 'write'],
    ['GET',   '/console/api/operator/accounts',          'console-operator',        'read'],
    ['PATCH, DELETE', '/console/api/operator/accounts/:id', 'console-operator-change', 'write'],
    ['GET',   '/console/api/operator/today',             'console-operator',        'read'],
    ['GET',   '/console/api/operator/audit',             'console-operator',        'read'],
  ),
  ...routesOf('console/collection-routes.ts',
    ['GET',    '/console/api/operator/collection',  'console-operator',        'read'],
    ['POST',   '/console/api/operator/beacons',     'console-operator-change', 'write'],
    ['DELETE', '/console/api/operator/beacons/:id', 'console-operator-change', 'write'],
  ),
  ...routesOf('console/feedback-routes.ts',
    ['GET',  '/console/api/operator/feedback',     'console-operator',        'read'],
    ['POST', '/console/api/operator/feedback',     'console-operator-change', 'write'],
    ['POST', '/console/api/operator/feedback/:id', 'console-operator-change', 'write'],
  ),
  ...routesOf('console/override-routes.ts',
    ['GET',    '/console/api/operator/overrides',     'console-operator',        'read'],
    ['POST',   '/console/api/operator/overrides',     'console-operator-change', 'write'],
    ['DELETE', '/console/api/operator/overrides/:id', 'console-operator-change', 'write'],
  ),
];

// biome-ignore format: as above
const IN_BOTH_LANGUAGES = (en: '' | '/en'): readonly Route[] => [
  ...routesOf('oauth/oauth-routes.ts',
    ['GET',  `/.well-known/oauth-authorization-server${en}`,           undefined, 'fixed'],
    ['GET',  `/.well-known/oauth-protected-resource${en}/mcp/account`, undefined, 'fixed'],
    ['GET',  `/.well-known/oauth-authorization-server${en}/`,           undefined, 'fixed'],
    ['GET',  `/.well-known/oauth-protected-resource${en}/mcp/account/`, undefined, 'fixed'],
    ['GET',  `${en}/oauth/authorize`,                                  undefined, 'write'],
    ['GET',  `${en}/oauth/authorize/:uid`,                             undefined, 'write'],
    ['POST', `${en}/oauth/token`,                                      undefined, 'token'],
    ['POST', `${en}/oauth/revoke`,                                     undefined, 'token'],
    ['POST', `${en}/oauth/register`,                                   undefined, 'token'],
  ),
  ...routesOf('oauth/interaction-routes.ts',
    ['GET',  `${en}/console/oauth/:uid`,         undefined, 'read'],
    ['POST', `${en}/console/oauth/:uid`,         undefined, 'hash'],
    ['GET',  `${en}/console/oauth/:uid/sign-up`, undefined, 'read'],
  ),
  ...routesOf('console/company/company-routes.ts', ['GET', `${en}/console/company`, undefined, 'write']),
  ...routesOf('site/docs-routes.ts',
    ...[...PAGES.visitor, ...PAGES.guides].filter((page) => page.startsWith('/docs'))
      .map((page): Row => ['GET', `${en}${page === '/docs' ? '/docs/overview' : page}.md`, undefined, 'fixed']),
  ),
  ...routesOf('site/site-routes.ts',
    ...Object.values(PAGES).flat().map((page) => (page === '/' ? en || '/' : `${en}${page.replace('*', ':rest').replace('*', ':more')}`))
      .flatMap((path) => (path === '/' ? [path] : [path, `${path}/`]))
      .map((path): Row => ['GET', path, undefined, 'fixed']),
  ),
];

/** The build names the site's built files, so they are not here. */
// biome-ignore format: as above
export const ROUTES: readonly Route[] = [
  ...IN_ONE_LANGUAGE,
  ...IN_BOTH_LANGUAGES(''),
  ...IN_BOTH_LANGUAGES('/en'),
];

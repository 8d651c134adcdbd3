/**
 * Pages of the site, without their language prefix (`/en` in English). `*` stands for one path segment. The service answers these with the site's
 * document and every other unknown path with the error body, so a page that is not listed here does not exist.
 */
export const PAGES = {
  visitor: [
    '/',
    '/ip/*',
    '/docs',
    '/docs/api',
    '/docs/score',
    '/docs/quotas',
    '/docs/errors',
    '/docs/sandbox',
    '/docs/mcp',
    '/docs/data',
    '/status',
  ],
  /** Further pages of docs/, whose text is English in both languages. */
  guides: [
    '/docs/bulk',
    '/docs/export',
    '/docs/clients',
    '/docs/phone',
    '/docs/operating',
    '/docs/configuration',
    '/docs/accounts',
    '/docs/scaling',
    '/docs/storage',
    '/docs/sensor',
    '/docs/beacons',
    '/docs/evidence-intake',
    '/docs/assistants',
    '/docs/site',
    '/docs/demo',
    '/docs/accuracy',
    '/docs/benchmarks',
    '/docs/threat-model',
  ],
  signIn: [
    '/console/sign-in',
    '/console/sign-up',
    '/console/forgot',
    '/console/verify',
    '/console/reset',
    '/console/first-operator',
  ],
  account: [
    '/console',
    '/console/keys',
    '/console/evidence',
    '/console/evidence/*',
    '/console/bulk',
    '/console/phone',
    '/console/apps',
    '/console/profile',
  ],
  operator: ['/console/operator', '/console/operator/*'],
} as const;

/**
 * Every path of the service on one page: what happens to a request there, in what order, and which file answers it.
 *
 * `STEPS`: rows are steps from top to bottom, columns are groups of routes (decisions 4.9). Input is read before the charge and refused after the minute
 * was counted; the day is only charged when the input stands. A phone look-up or a batch costs what its body says, so its charge comes after the body.
 * MCP charges in its handler: its refusals are results, and only a tool call costs a day.
 *
 * `ROUTES`: method, path, column, file below src/apps, cost. A server does not start with a route that is not here (`create-app.ts`), and
 * src/apps/http/routes.test.ts holds the list against a running server and the OpenAPI document.
 */

import { PAGES } from '../../contract/pages.ts';
import type { CostClass } from '../../core/limits/limits.ts';
import type { Step } from './step.ts';
import { chargeAllowance } from './steps/charge-allowance.ts';
import { checkHistory } from './steps/check-history.ts';
import { identifyCaller } from './steps/identify-caller.ts';
import { readAddress } from './steps/read-address.ts';
import { readMoment } from './steps/read-moment.ts';
import { refuseKeyInQuery } from './steps/refuse-key-in-query.ts';
import { refuseMoment } from './steps/refuse-moment.ts';
import { requireData } from './steps/require-data.ts';
import { requireKey } from './steps/require-key.ts';
import { requireProfessional } from './steps/require-professional.ts';

/** A step that no look-up takes. Its code is loaded with the app routes: what the fast lane imports, the first look-up after a start waits for. */
interface LateStep {
  readonly load: () => Promise<Step>;
}
const late = (load: () => Promise<Step>): LateStep => ({ load });
const chargeAddresses = late(async () => (await import('./steps/charge-addresses.ts')).chargeAddresses);
const chargeNumbers = late(async () => (await import('./steps/charge-numbers.ts')).chargeNumbers);
const enterAsUser = late(async () => (await import('./steps/enter-as-user.ts')).enterAsUser);
const identifyAccount = late(async () => (await import('./steps/identify-account.ts')).identifyAccount);
const identifyBeacon = late(async () => (await import('./steps/identify-beacon.ts')).identifyBeacon);
const identifyKeyOwner = late(async () => (await import('./steps/identify-key-owner.ts')).identifyKeyOwner);
const identifySender = late(async () => (await import('./steps/identify-sender.ts')).identifySender);
const identifyOpenCaller = late(async () => (await import('./steps/identify-open-caller.ts')).identifyOpenCaller);
const readAddresses = late(async () => (await import('./steps/read-addresses.ts')).readAddresses);
const readPastAddresses = late(async () => (await import('./steps/read-addresses.ts')).readPastAddresses);
const readPhoneBatch = late(async () => (await import('./steps/read-phone-batch.ts')).readPhoneBatch);
const readSandboxAddress = late(async () => (await import('./steps/read-sandbox-address.ts')).readSandboxAddress);
const readPhoneNumber = late(async () => (await import('./steps/read-phone-number.ts')).readPhoneNumber);
const refuseMomentInQuery = late(async () => (await import('./steps/refuse-moment-in-query.ts')).refuseMomentInQuery);
const refuseForeignText = late(async () => (await import('./steps/refuse-foreign-text.ts')).refuseForeignText);
const requireFresh = late(async () => (await import('./steps/require-fresh.ts')).requireFresh);
const requireOperator = late(async () => (await import('./steps/require-operator.ts')).requireOperator);
const requireOwnOrigin = late(async () => (await import('./steps/require-own-origin.ts')).requireOwnOrigin);
const requirePhone = late(async () => (await import('./steps/require-phone.ts')).requirePhone);
const requireSameSite = late(async () => (await import('./steps/require-same-site.ts')).requireSameSite);
const requireSecondFactor = late(async () => (await import('./steps/require-second-factor.ts')).requireSecondFactor);
const takeAccountCost = late(async () => (await import('./steps/take-account-cost.ts')).takeAccountCost);
const requireSession = late(async () => (await import('./steps/require-session.ts')).requireSession);

// With a key, or with none.
const IP = 'ip';
const PULSE = 'pulse';
const IP_B = 'ip-batch';
const P_B = 'pulse-batch';
const ME = 'me';
const PHONE = 'phone-lookup';
const BATCH = 'phone-batch';
const META = 'phone-meta';
const EVID = 'evidence';
const BEAC = 'beacon';
const S_IP = 'sandbox-ip';
const S_P = 'sandbox-pulse';
const MCP = 'mcp';
const ACC = 'mcp-account';
// In a browser: before sign-in, signed in, signed in within 15 minutes, making a key, operators and what they change, and the same questions as with a key.
const OPEN = 'console-open';
const USER = 'console';
const FRESH = 'console-fresh';
const N_KEY = 'console-new-key';
const OPER = 'console-operator';
const O_SET = 'console-operator-change';
const C_IP = 'console-pulse';
const C_COURSE = 'console-timeline';
const C_PHONE = 'console-phone-lookup';
const C_BATCH = 'console-phone-batch';
const C_BULK = 'console-ip-batch';

const COLUMNS = [
  IP,
  PULSE,
  IP_B,
  P_B,
  ME,
  PHONE,
  BATCH,
  META,
  EVID,
  BEAC,
  S_IP,
  S_P,
  MCP,
  ACC,
  OPEN,
  USER,
  FRESH,
  N_KEY,
  OPER,
  O_SET,
  C_IP,
  C_COURSE,
  C_PHONE,
  C_BATCH,
  C_BULK,
] as const;
export type Column = (typeof COLUMNS)[number];

type Row = readonly [Step | LateStep, ...Column[]];

// biome-ignore format: aligned by hand, so that what happens and in what order can be read off one screen
const STEPS: readonly Row[] = [
  [refuseKeyInQuery,    IP, PULSE, IP_B, P_B, ME, PHONE, BATCH, META, EVID, BEAC, S_IP, S_P, MCP, ACC                                                                                   ],
  [requireOwnOrigin,                                                                         MCP, ACC                                                                                   ],
  [refuseForeignText,              IP_B,                                                                                                                                                ],
  [requireSameSite,                                                                                    OPEN, USER, FRESH, N_KEY, OPER, O_SET, C_IP, C_COURSE, C_PHONE, C_BATCH, C_BULK],
  [requireSession,                                                                                           USER, FRESH, N_KEY, OPER, O_SET, C_IP, C_COURSE, C_PHONE, C_BATCH, C_BULK],
  [takeAccountCost,                                                                                          USER, FRESH, N_KEY, OPER, O_SET                                            ],
  [enterAsUser,                                                                                                                               C_IP, C_COURSE, C_PHONE, C_BATCH, C_BULK],
  [identifyCaller,      IP, PULSE, IP_B, P_B,     PHONE, BATCH, META                                                                                                                    ],
  [identifySender,                                                    EVID                                                                                                              ],
  [identifyBeacon,                                                          BEAC                                                                                                        ],
  [identifyKeyOwner,                          ME                                                                                                                                        ],
  [identifyOpenCaller,                                                                       MCP                                                                                        ],
  [identifyAccount,                                                                               ACC                                                                                   ],
  [requireKey,              PULSE,       P_B, ME, PHONE, BATCH, META                                                                                                                    ],
  [requireOperator,                                                   EVID,                                                      OPER, O_SET                                            ],
  [requireSecondFactor,                                                                                                   N_KEY, OPER, O_SET                                            ],
  [requireFresh,                                                                                                   FRESH, N_KEY,       O_SET                                            ],
  [requireProfessional,     PULSE,       P_B,                                                                                                 C_IP, C_COURSE                          ],
  [requirePhone,                                  PHONE, BATCH,                                                                                               C_PHONE, C_BATCH        ],
  [readAddress,         IP, PULSE,                                                                                                            C_IP, C_COURSE                          ],
  [readSandboxAddress,                                                            S_IP, S_P,                                                                                            ],
  [refuseMoment,        IP,        IP_B,                                          S_IP,                                                                                                 ],
  [refuseMomentInQuery,               P_B                                                                                                                                               ],
  [readMoment,              PULSE,                                                      S_P,                                                  C_IP                                    ],
  [requireData,         IP, PULSE,                                                                                                            C_IP, C_COURSE                          ],
  [checkHistory,            PULSE,                                                                                                            C_IP                                    ],
  [chargeAllowance,     IP, PULSE,                                                                                                            C_IP, C_COURSE                          ],
];

/** Steps that need the body; fastify has read it by then. */
// biome-ignore format: as above
const STEPS_AFTER_BODY: readonly Row[] = [
  [readAddresses,                  IP_B,                                                                                                                                        C_BULK],
  [readPastAddresses,                    P_B                                                                                                                                          ],
  [requireData,                    IP_B, P_B,                                                                                                                                   C_BULK],
  [chargeAddresses,                IP_B, P_B,                                                                                                                                   C_BULK],
  [readPhoneNumber,                               PHONE,                                                                                                      C_PHONE                 ],
  [readPhoneBatch,                                       BATCH,                                                                                                        C_BATCH        ],
  [chargeNumbers,                                 PHONE, BATCH,                                                                                               C_PHONE, C_BATCH        ],
];

/** What a route costs: a class of the limiter, which `takeCost` counts before every step of the column, or a look-up, which the quota ledger counts. */
export type RouteCost = CostClass | 'lookup';

/** Method or methods, path as fastify writes it, column of the step table (none: no steps), file below src/apps, cost. GET answers HEAD too. */
export type Route = readonly [methods: string, path: string, column: Column | undefined, file: string, cost: RouteCost];

/** The REST interface and its extensions, which /openapi.json describes. */
// biome-ignore format: aligned by hand
const REST: readonly Route[] = [
  ['GET, OPTIONS', '/v1/ip/:ip',                 IP,        'http/fast-lane.ts',               'lookup'],
  ['GET',    '/pulse/v1/ip/:ip',                 PULSE,     'http/fast-lane.ts',               'lookup'],
  // Beyond the interface (decisions 10.1).
  ['POST',   '/v1/ip/batch',                     IP_B,      'http/routes/ip/ip-batch-routes.ts', 'lookup'],
  ['POST',   '/pulse/v1/ip/batch',               P_B,       'http/routes/ip/ip-batch-routes.ts', 'lookup'],
  ['GET',    '/v1/me',                           ME,        'http/routes/me/me-route.ts',      'read'],
  ['POST',   '/v1/phone/lookup',                 PHONE,     'http/routes/phone/phone-routes.ts', 'lookup'],
  ['POST',   '/v1/phone/batch',                  BATCH,     'http/routes/phone/phone-routes.ts', 'lookup'],
  ['GET',    '/v1/phone/meta/tags',              META,      'http/routes/phone/phone-meta-routes.ts', 'read'],
  ['GET',    '/v1/phone/meta/coverage',          META,      'http/routes/phone/phone-meta-routes.ts', 'read'],
  // For operators, beyond the interface (docs/evidence-intake.md).
  ['POST',   '/v1/evidence',                     EVID,      'http/routes/evidence/evidence-route.ts', 'intake'],
];

// biome-ignore format: aligned by hand
const OTHERS: readonly Route[] = [
  // Beyond the interface (docs/beacons.md).
  ['POST',   '/v1/beacon',                       BEAC,      'http/routes/beacon/beacon-route.ts', 'intake'],
  // Fixed answers for tests, beyond the interface (docs/sandbox.md).
  ['GET',    '/sandbox',                         undefined, 'http/routes/sandbox/sandbox-routes.ts', 'fixed'],
  ['GET',    '/sandbox/v1/ip/:ip',               S_IP,      'http/routes/sandbox/sandbox-routes.ts', 'fixed'],
  ['GET',    '/sandbox/pulse/v1/ip/:ip',         S_P,       'http/routes/sandbox/sandbox-routes.ts', 'fixed'],

  ['POST',   '/mcp',                             MCP,       'mcp/mcp-routes.ts',               'handshake'],
  ['POST',   '/mcp/account',                     ACC,       'mcp/mcp-routes.ts',               'handshake'],
  ['POST',   '/en/mcp/account',                  ACC,       'mcp/mcp-routes.ts',               'handshake'],

  ['GET',    '/healthz',                         undefined, 'http/routes/health/health-route.ts', 'fixed'],
  ['GET',    '/openapi.json',                    undefined, 'http/openapi/openapi-route.ts',   'fixed'],
  ['GET',    '/llms.txt',                        undefined, 'mcp/llms-txt-route.ts',           'fixed'],
  ['GET',    '/server.json',                     undefined, 'mcp/server-json.ts',              'fixed'],

  ['GET',    '/console/api/status',                  undefined, 'console/status-routes.ts',        'read'],
  ['POST',   '/console/api/session/sign-in',         OPEN,      'console/session/session-routes.ts', 'hash'],
  ['POST',   '/console/api/session/sign-out',        OPEN,      'console/session/session-routes.ts', 'write'],
  ['POST',   '/console/api/session/sign-up',         OPEN,      'console/session/session-routes.ts', 'register'],
  ['POST',   '/console/api/session/verify',          OPEN,      'console/session/session-routes.ts', 'hash'],
  ['POST',   '/console/api/session/operator',        OPEN,      'console/session/session-routes.ts', 'hash'],
  ['POST',   '/console/api/session/forgot',          OPEN,      'console/session/session-routes.ts', 'mail'],
  ['POST',   '/console/api/session/reset',           OPEN,      'console/session/session-routes.ts', 'hash'],
  ['POST',   '/console/api/session/factor',          OPEN,      'console/session/session-routes.ts', 'hash'],
  ['GET',    '/console/api/session',                 USER,      'console/session/session-routes.ts', 'read'],
  ['POST',   '/console/api/session/confirm',         USER,      'console/session/session-routes.ts', 'hash'],
  ['POST',   '/console/api/session/password',        FRESH,     'console/session/session-routes.ts', 'hash'],
  ['GET',    '/console/api/session/factors',         USER,      'console/session/factor-routes.ts',  'read'],
  ['POST',   '/console/api/session/factors/totp',    FRESH,     'console/session/factor-routes.ts',  'write'],
  ['POST',   '/console/api/session/factors/totp/confirm', FRESH, 'console/session/factor-routes.ts', 'write'],
  ['POST',   '/console/api/session/factors/passkeys/options', FRESH, 'console/session/factor-routes.ts', 'write'],
  ['POST',   '/console/api/session/factors/passkeys', FRESH,    'console/session/factor-routes.ts',  'write'],
  ['POST',   '/console/api/session/factors/recovery-codes', FRESH, 'console/session/factor-routes.ts', 'write'],
  ['PATCH, DELETE', '/console/api/session/factors/id/:id', FRESH,  'console/session/factor-routes.ts',  'write'],
  ['GET',    '/console/api/apps',                    USER,      'console/session/session-routes.ts', 'read'],
  ['DELETE', '/console/api/apps/:clientId',          USER,      'console/session/session-routes.ts', 'write'],
  ['GET',    '/console/api/keys',                    USER,      'console/account-routes.ts',       'read'],
  ['POST',   '/console/api/keys',                    N_KEY,     'console/account-routes.ts',       'write'],
  ['DELETE', '/console/api/keys/:id',                USER,      'console/account-routes.ts',       'write'],
  ['GET',    '/console/api/usage',                   USER,      'console/account-routes.ts',       'read'],
  ['GET',    '/console/api/account/export',          USER,      'console/own-data-routes.ts',      'read'],
  ['POST',   '/console/api/account/delete',          FRESH,     'console/own-data-routes.ts',      'hash'],
  ['GET',    '/console/api/pulse/:ip',               C_IP,      'console/evidence-routes.ts',      'lookup'],
  ['GET',    '/console/api/pulse/:ip/timeline',      C_COURSE,  'console/evidence-routes.ts',      'lookup'],
  ['POST',   '/console/api/ip/batch',                C_BULK,    'http/routes/ip/ip-batch-routes.ts', 'lookup'],
  ['POST',   '/console/api/phone/lookup',            C_PHONE,   'console/phone-routes.ts',         'lookup'],
  ['POST',   '/console/api/phone/batch',             C_BATCH,   'console/phone-routes.ts',         'lookup'],
  ['GET',    '/console/api/operator/feeds',          OPER,      'console/operator-routes.ts',      'read'],
  ['POST',   '/console/api/operator/feeds/:id/refresh', O_SET,  'console/operator-routes.ts',      'write'],
  ['PATCH',  '/console/api/operator/feeds/:id',      O_SET,     'console/operator-routes.ts',      'write'],
  ['POST',   '/console/api/operator/feeds/:id/accept', O_SET,   'console/operator-routes.ts',      'write'],
  ['GET',    '/console/api/operator/accounts',       OPER,      'console/operator-routes.ts',      'read'],
  ['PATCH',  '/console/api/operator/accounts/:id',   O_SET,     'console/operator-routes.ts',      'write'],
  ['GET',    '/console/api/operator/collection',     OPER,      'console/collection-routes.ts',    'read'],
  ['POST',   '/console/api/operator/beacons',        O_SET,     'console/collection-routes.ts',    'write'],
  ['DELETE', '/console/api/operator/beacons/:id',    O_SET,     'console/collection-routes.ts',    'write'],
  ['GET',    '/console/api/operator/audit',          OPER,      'console/operator-routes.ts',      'read'],
];

/** Once in Chinese, once in English below /en. */
// biome-ignore format: aligned by hand
const IN_BOTH_LANGUAGES = (en: '' | '/en'): readonly Route[] => [
  ['GET',    `/.well-known/oauth-authorization-server${en}`,            undefined, 'oauth/oauth-routes.ts',           'fixed'],
  ['GET',    `/.well-known/oauth-protected-resource${en}/mcp/account`,  undefined, 'oauth/oauth-routes.ts',           'fixed'],
  ['GET',    `${en}/oauth/authorize`,            undefined, 'oauth/oauth-routes.ts',           'write'],
  ['GET',    `${en}/oauth/authorize/:uid`,       undefined, 'oauth/oauth-routes.ts',           'write'],
  ['POST',   `${en}/oauth/token`,                undefined, 'oauth/oauth-routes.ts',           'token'],
  ['POST',   `${en}/oauth/revoke`,               undefined, 'oauth/oauth-routes.ts',           'token'],
  ['POST',   `${en}/oauth/register`,             undefined, 'oauth/oauth-routes.ts',           'register'],
  ['GET',    `${en}/console/oauth/:uid`,          undefined, 'oauth/interaction-routes.ts',    'read'],
  ['POST',   `${en}/console/oauth/:uid`,          undefined, 'oauth/interaction-routes.ts',    'hash'],
  ['GET',    `${en}/console/oauth/:uid/sign-up`, undefined, 'oauth/interaction-routes.ts',     'read'],
  ...PAGES.flatMap((page): readonly Route[] => {
    const path = page === '/' ? en || '/' : `${en}${page.replace('*', ':rest')}`;
    return [['GET', path, undefined, 'site/site-routes.ts', 'fixed'], ...(path === '/' ? [] : [['GET', `${path}/`, undefined, 'site/site-routes.ts', 'fixed'] as const])];
  }),
];

/** Every route but the site's built files, whose names the build makes (`config: { file: true }`). */
export const ROUTES: readonly Route[] = [...REST, ...OTHERS, ...IN_BOTH_LANGUAGES(''), ...IN_BOTH_LANGUAGES('/en')];

/** The steps of one column in order. */
interface ColumnSteps {
  readonly beforeBody: readonly Step[];
  /** Those that need the body. */
  readonly afterBody: readonly Step[];
}

const rowsOf = (rows: readonly Row[], column: Column): readonly (Step | LateStep)[] =>
  rows.filter(([, ...columns]) => columns.includes(column)).map(([step]) => step);

/** The steps of a look-up, which are here from the start. @throws Error when one of them is loaded late */
export const lookupSteps = (column: typeof IP | typeof PULSE): readonly Step[] =>
  rowsOf(STEPS, column).map((step) => {
    if ('load' in step) throw new Error(`a step of ${column} is loaded late; the fast lane cannot wait for it`);
    return step;
  });

const loaded = (steps: readonly (Step | LateStep)[]): Promise<readonly Step[]> =>
  Promise.all(steps.map((step) => ('load' in step ? step.load() : step)));

/** The steps of every column, with their code. */
export async function loadSteps(): Promise<ReadonlyMap<Column, ColumnSteps>> {
  const steps = async (column: Column) =>
    [
      column,
      { beforeBody: await loaded(rowsOf(STEPS, column)), afterBody: await loaded(rowsOf(STEPS_AFTER_BODY, column)) },
    ] as const;
  return new Map(await Promise.all(COLUMNS.map(steps)));
}

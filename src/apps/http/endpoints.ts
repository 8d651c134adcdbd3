/**
 * What happens to a request, where, in what order: rows are steps from top to bottom, columns are endpoints (decisions 4.9).
 *
 *   IP     GET /v1/ip/{ip}            PHONE  POST /v1/phone/lookup     MCP  POST /mcp
 *   PULSE  GET /pulse/v1/ip/{ip}      BATCH  POST /v1/phone/batch      ACC  POST /mcp/account, /en/mcp/account
 *   ME     GET /v1/me                 META   GET /v1/phone/meta/*
 *   EVID   POST /v1/evidence (extension, docs/evidence-intake.md)
 *
 * Input is read before the charge and refused after the minute was counted; the day is only charged when the input stands. Phone endpoints charge inside
 * their handlers, because the number of units is in the body. MCP settles callers inside, since its refusals are results.
 */

import type { Step } from './step.ts';
import { chargeAllowance } from './steps/charge-allowance.ts';
import { checkHistory } from './steps/check-history.ts';
import { identifyCaller } from './steps/identify-caller.ts';
import { identifyKeyOwner } from './steps/identify-key-owner.ts';
import { readAddress } from './steps/read-address.ts';
import { readMoment } from './steps/read-moment.ts';
import { refuseKeyInQuery } from './steps/refuse-key-in-query.ts';
import { refuseMoment } from './steps/refuse-moment.ts';
import { requireData } from './steps/require-data.ts';
import { requireKey } from './steps/require-key.ts';
import { requirePhone } from './steps/require-phone.ts';
import { requireProfessional } from './steps/require-professional.ts';

const IP = 'ip';
const PULSE = 'pulse';
const ME = 'me';
const PHONE = 'phone-lookup';
const BATCH = 'phone-batch';
const META = 'phone-meta';
const MCP = 'mcp';
const ACC = 'mcp-account';
const EVID = 'evidence';

export const ENDPOINTS = [IP, PULSE, ME, PHONE, BATCH, META, MCP, ACC, EVID] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

// biome-ignore format: aligned by hand, so that what happens and in what order can be read off one screen
const TABLE: readonly (readonly [Step, ...Endpoint[]])[] = [
  [refuseKeyInQuery,    IP, PULSE, ME, PHONE, BATCH, META, MCP, ACC, EVID],
  [identifyCaller,      IP, PULSE,     PHONE, BATCH, META,           EVID],
  [identifyKeyOwner,               ME                              ],
  [requireKey,              PULSE, ME, PHONE, BATCH, META,           EVID],
  [requireProfessional,     PULSE                                  ],
  [requirePhone,                       PHONE, BATCH                ],
  [readAddress,         IP, PULSE                                  ],
  [refuseMoment,        IP                                         ],
  [readMoment,              PULSE                                  ],
  [requireData,         IP, PULSE                                  ],
  [checkHistory,            PULSE                                  ],
  [chargeAllowance,     IP, PULSE                                  ],
];

const columns = new Map<Endpoint, readonly Step[]>(
  ENDPOINTS.map((endpoint) => [endpoint, TABLE.filter(([, ...endpoints]) => endpoints.includes(endpoint)).map(([step]) => step)]),
);

/** The steps of one endpoint, in order. */
export const stepsOf = (endpoint: Endpoint): readonly Step[] => columns.get(endpoint)!;

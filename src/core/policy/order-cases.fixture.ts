/**
 * The one rule as a table: evidence down, networks across, one letter an order. Every surface that acts or
 * advises runs it.
 */

import type { RiskType } from '../../contract/risk.ts';
import type { Observation } from '../evidence/observation.ts';
import type { NetworkSignals } from '../risk/share-tier.ts';
import { DAY_MS, type UnixMs, unixMs } from '../units.ts';
import type { Action } from './policy.ts';

type Seen = readonly [RiskType, ageDays: number, sharedBy?: 'tor'];

/** Scores stand in the names; proxy, vpn and pools raise the sharing tier, credentials and scans do not. */
const EVIDENCE = {
  none: [],
  expired: [['honeypot_credential', 40]],
  'list 28': [['osint', 0]],
  'scan 45': [['honeypot_scan', 0]],
  'vpn 65': [['vpn', 0]],
  'credential 80': [['honeypot_credential', 0]],
  'pool 85': [['dialup_pool', 0]],
  'proxy 92': [['proxy', 0]],
  'tor 65': [['vpn', 0, 'tor']],
  'old tor': [['vpn', 40, 'tor']],
  'tor and proxy 97': [
    ['vpn', 0, 'tor'],
    ['proxy', 0],
  ],
} as const satisfies Record<string, readonly Seen[]>;

interface CaseNetwork {
  readonly family: 4 | 6;
  readonly usageType?: string;
  readonly relay?: true;
}

export const NETWORKS = {
  IDC: { family: 4, usageType: 'IDC' },
  DYN: { family: 4, usageType: 'DYN' },
  none: { family: 4 },
  EDU: { family: 4, usageType: 'EDU' },
  MOB: { family: 4, usageType: 'MOB' },
  SAT: { family: 4, usageType: 'SAT' },
  relay: { family: 4, usageType: 'IDC', relay: true },
  'EDU v6': { family: 6, usageType: 'EDU' },
  'MOB v6': { family: 6, usageType: 'MOB' },
  'relay v6': { family: 6, usageType: 'IDC', relay: true },
} as const satisfies Record<string, CaseNetwork>;

const NAMES = Object.keys(NETWORKS) as readonly (keyof typeof NETWORKS)[];

/** Columns are the networks in their order; a relay has no evidence of vpn. */
// biome-ignore format: a table
const DEFAULT_ORDERS: Readonly<Record<keyof typeof EVIDENCE, string>> = {
  //                  IDC DYN -  EDU MOB SAT rel EDU6 MOB6 rel6
  none:               'a   a  a   a   a   a   a   a    a    a',
  expired:            'a   a  a   a   a   a   a   a    a    a',
  'list 28':          'a   a  a   a   a   a   a   a    a    a',
  'scan 45':          'c   c  c   c   a   a   a   c    c    a',
  'vpn 65':           'c   c  c   c   a   a   a   c    c    a',
  'credential 80':    'd   d  d   c   c   c   c   d    d    c',
  'pool 85':          'd   d  d   c   c   c   c   d    d    c',
  'proxy 92':         'd   d  d   c   c   c   c   d    d    c',
  'tor 65':           'c   c  c   c   c   c   a   c    c    a',
  'old tor':          'a   a  a   a   a   a   a   a    a    a',
  'tor and proxy 97': 'c   c  c   c   c   c   c   c    c    c',
};

const ACTION = { a: 'allow', c: 'challenge', d: 'deny' } as const;

export interface OrderCase {
  readonly name: string;
  readonly evidence: keyof typeof EVIDENCE;
  readonly network: keyof typeof NETWORKS;
  readonly policy: object;
  readonly action: Action;
}

const defaultCases: readonly OrderCase[] = Object.entries(DEFAULT_ORDERS).flatMap(([evidence, orders]) =>
  orders.split(/ +/).map((letter, column) => ({
    name: `${evidence} on ${NAMES[column]}`,
    evidence: evidence as keyof typeof EVIDENCE,
    network: NAMES[column]!,
    policy: {},
    action: ACTION[letter as keyof typeof ACTION],
  })),
);

// biome-ignore format: a table
const POLICY_ROWS: readonly (readonly [policy: object, evidence: keyof typeof EVIDENCE, network: keyof typeof NETWORKS, order: keyof typeof ACTION])[] = [
  [{ deny: 93 },                                        'proxy 92', 'IDC', 'c'],
  [{ deny: 90 },                                        'proxy 92', 'IDC', 'd'],
  [{ deny: 28, challenge: 'never' },                    'list 28', 'IDC', 'd'],
  [{ deny: 93 },                                        'proxy 92', 'MOB', 'a'],
  [{ deny: 90 },                                        'proxy 92', 'MOB', 'c'],
  [{ deny: 40 },                                        'scan 45', 'EDU', 'c'],
  [{ deny: 40 },                                        'scan 45', 'SAT', 'c'],
  [{ challenge: 28 },                                   'list 28', 'DYN', 'c'],
  [{ challenge: 28 },                                   'list 28', 'MOB', 'a'],
  [{ challenge: 46 },                                   'scan 45', 'IDC', 'a'],
  [{ deny: 30, challenge: 'never' },                    'scan 45', 'IDC', 'd'],
  [{ deny: 'never' },                                   'proxy 92', 'IDC', 'c'],
  [{ deny: 'never', challenge: 'never' },               'proxy 92', 'IDC', 'a'],
  [{ deny: 'never', challenge: 'never' },               'tor 65', 'IDC', 'c'],
  [{ tor: 'allow' },                                    'tor and proxy 97', 'IDC', 'a'],
  [{ tor: 'deny' },                                     'tor 65', 'IDC', 'd'],
  [{ tor: 'deny' },                                     'tor 65', 'EDU', 'd'],
  [{ tor: 'deny' },                                     'old tor', 'IDC', 'a'],
  [{ tor: 'deny' },                                     'vpn 65', 'IDC', 'c'],
  [{ tiers: { T0: 'challenge' } },                      'proxy 92', 'IDC', 'c'],
  [{ tiers: { T1: 'allow' } },                          'proxy 92', 'DYN', 'a'],
  [{ tiers: { T1: 'allow' } },                          'proxy 92', 'MOB v6', 'a'],
  [{ tiers: { T2: 'deny' } },                           'proxy 92', 'EDU', 'd'],
  [{ tiers: { T2: 'challenge' } },                      'proxy 92', 'DYN', 'd'],
  [{ tiers: { T2: 'allow' } },                          'proxy 92', 'EDU', 'a'],
  [{ tiers: { T3: 'deny' } },                           'proxy 92', 'MOB', 'd'],
  [{ tiers: { T3: 'deny' } },                           'scan 45', 'MOB', 'c'],
  [{ tiers: { T3: 'allow' } },                          'proxy 92', 'MOB', 'a'],
  [{ tiers: { T3: 'deny' } },                           'tor 65', 'IDC', 'c'],
  [{ signals: { vpn: 'deny' } },                        'vpn 65', 'IDC', 'd'],
  [{ signals: { vpn: 'deny' } },                        'vpn 65', 'EDU', 'c'],
  [{ signals: { vpn: 'challenge' } },                   'vpn 65', 'MOB', 'c'],
  [{ signals: { vpn: 'challenge' } },                   'proxy 92', 'IDC', 'd'],
  [{ signals: { vpn: 'deny' } },                        'tor 65', 'IDC', 'c'],
  [{ signals: { vpn: 'allow' } },                       'tor 65', 'IDC', 'a'],
  [{ signals: { proxy: 'allow' } },                     'proxy 92', 'IDC', 'a'],
  [{ signals: { proxy: 'allow', vpn: 'deny' } },        'tor and proxy 97', 'IDC', 'a'],
];

export const ORDER_CASES: readonly OrderCase[] = [
  ...defaultCases,
  ...POLICY_ROWS.map(([policy, evidence, network, order]) => ({
    ...{ name: `${evidence} on ${network} with ${JSON.stringify(policy)}`, evidence, network, policy },
    action: ACTION[order],
  })),
];

/** Every address is alone in its /48, so that none is evidence about another. */
export function addressOf({ network, evidence }: OrderCase): string {
  const [n, e] = [1 + NAMES.indexOf(network), 1 + Object.keys(EVIDENCE).indexOf(evidence)];
  return NETWORKS[network].family === 4 ? `45.${n}.9.${e}` : `2a${n + 10}:1:${e}::1`;
}

/** The network of a case, which has one usage type. */
export const blockOf = (one: OrderCase): string =>
  addressOf(one)
    .replace(/\.\d+$/, '.0/24')
    .replace(/:\d+::1$/, '::/32');

export const networkOf = ({ network }: OrderCase): NetworkSignals => {
  const { usageType, relay }: CaseNetwork = NETWORKS[network];
  return { usageType, hosting: false, mobile: false, crawler: false, relay: relay === true };
};

export const observationsOf = ({ evidence, network }: OrderCase, at: UnixMs): readonly Observation[] =>
  EVIDENCE[evidence].map(([riskType, ageDays, sharedBy]: Seen) => ({
    ...{ riskType, source: `${riskType}${sharedBy ?? ''}`, family: `${riskType}${sharedBy ?? ''}` },
    ...{ capturedAt: unixMs(at - ageDays * DAY_MS), days: 1, pools: [] },
    prefixBits: NETWORKS[network].family === 4 ? 32 : 128,
    ...(sharedBy !== undefined && { sharedBy }),
  }));

/** Documents that are no policies, and their first fault. */
// biome-ignore format: a table
export const REFUSED_POLICIES: readonly (readonly [document: unknown, fault: string])[] = [
    [[], 'JSON object'],
    [{ dney: 'high' }, 'no field "dney"'],
    [{ deny: 'none' }, 'deny is a level'],
    [{ challenge: 101 }, 'challenge is a level'],
    [{ challenge: 30.5 }, 'challenge is a level'],
    [{ tiers: { T4: 'deny' } }, 'tiers gives'],
    [{ tiers: { T1: 'block' } }, 'tiers gives'],
    [{ signals: { honeypot_scan: 'deny' } }, 'signals gives'],
    [{ allow: ['45.9.8.7', 'x'] }, 'allow holds "x"'],
    [{ allow: Array.from({ length: 1001 }, () => '1.1.1.1') }, 'at most 1000'],
    [{ tor: 'block' }, 'tor is one of'],
    [{ observe: 'yes' }, 'observe is'],
    [{ fail: 'shut' }, 'fail is'],
];

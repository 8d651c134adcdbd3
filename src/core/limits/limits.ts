import type { Address } from '../ip/address.ts';
import { formatAddress } from '../ip/format-address.ts';
import { prefixOf } from '../ip/prefix.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../units.ts';

/**
 * Cost of a request that is not a look-up, dearest last. Look-ups are counted by the quota ledger.
 *
 * - `fixed`: answered from memory
 * - `read`: a few reads of the store
 * - `intake`: evidence of an operator's sensors
 * - `handshake`: a message to an MCP endpoint; only those that the caller's minute refuses stay counted
 * - `token`: exchange, refresh or revocation of an OAuth token
 * - `write`: a row or two in the store
 * - `hash`: a password is hashed
 * - `mail`: a mail may be sent
 * - `register`: an account or an OAuth client may be made
 */
export type CostClass = 'fixed' | 'read' | 'intake' | 'handshake' | 'token' | 'write' | 'hash' | 'mail' | 'register';

/** At most `most` in a window of `windowMs` that begins with the first. */
export interface Limit {
  readonly most: number;
  readonly windowMs: number;
  /** It protects one node, so each node counts by itself. */
  readonly perNode?: true;
}

/** One counter of the limiter. */
export interface LimitCounter {
  /** Clients and their targets lie in tables of their own, so that no flood of addresses can crowd accounts out. */
  readonly of: 'client' | 'subject';
  readonly id: string;
  readonly limit: Limit;
  /** May be left out where room is short: a wider counter bounds the same callers. */
  readonly narrow?: true;
}

const QUARTER_MS = 15 * MINUTE_MS;

// biome-ignore format: a table
/** Bounds of one client (an IPv4 address, an IPv6 /64) for in each class. */
export const COST_LIMITS: Readonly<Record<CostClass, Limit>> = {
  fixed:     { most: 6000, windowMs: MINUTE_MS,  perNode: true },
  read:      { most:  600, windowMs: MINUTE_MS },
  intake:    { most:  600, windowMs: MINUTE_MS },
  handshake: { most:  300, windowMs: MINUTE_MS,  perNode: true },
  token:     { most:  120, windowMs: MINUTE_MS },
  write:     { most:   60, windowMs: MINUTE_MS },
  hash:      { most:  120, windowMs: QUARTER_MS },
  mail:      { most:   20, windowMs: HOUR_MS },
  register:  { most:   60, windowMs: HOUR_MS },
};

// biome-ignore format: a table
/** Bounds of one signed-in account on the console, over all its sessions and clients. */
export const ACCOUNT_LIMITS: Readonly<Partial<Record<CostClass, Limit>>> = {
  read:  { most: 600, windowMs: MINUTE_MS },
  write: { most:  60, windowMs: MINUTE_MS },
  hash:  { most:  60, windowMs: QUARTER_MS },
};

// biome-ignore format: a table
/** Counters beyond the class of a path. */
export const LIMITS = {
  /** Wrong passwords of one client against one address. */
  guessPair:      { most:  10, windowMs: QUARTER_MS },
  /** Wrong passwords of one client. */
  guessClient:    { most:  50, windowMs: QUARTER_MS },
  /** Wrong passwords against one address, of all clients without a device cookie for it. */
  guessAccount:   { most: 100, windowMs: QUARTER_MS },
  /** Wrong passwords against one address, of the browsers with a device cookie for it. */
  guessDevice:    { most:  10, windowMs: QUARTER_MS },
  /** Right passwords of one account: each costs a hash and a session. */
  rightPassword:  { most:  60, windowMs: HOUR_MS },
  /** Passwords tried on one link of a mail. */
  guessLink:      { most:  10, windowMs: QUARTER_MS },
  /**
   * Wrong codes of a second factor of one account, authenticator and recovery codes counted apart. Three codes of an authenticator are good at a time, so the
   * guesses of a day succeed with 0.03 %. Only a person who has the password gets this far; passkeys are not counted. Browsers with a device cookie for the
   * account count apart from all others, so that a stranger with the password cannot lock its owner out.
   */
  guessCode:      { most:  10, windowMs: QUARTER_MS },
  guessCodeDay:   { most: 100, windowMs: DAY_MS },
  /** Reports of an authenticator that wrong codes have locked for the day. */
  lockNotice:     { most:   1, windowMs: DAY_MS },
  /** Links of mails that one client follows. */
  followLink:     { most:  20, windowMs: HOUR_MS },
  signUpHour:     { most:  10, windowMs: HOUR_MS },
  signUpDay:      { most:  30, windowMs: DAY_MS },
  /** Mails to one address that one client asks for. */
  mailPair:       { most:   3, windowMs: HOUR_MS },
  /** Mails to one address that all clients together ask for. */
  mailAddress:    { most:  12, windowMs: HOUR_MS },
  /** Mails to one address that browsers with a device cookie for it ask for. */
  mailDevice:     { most:   3, windowMs: HOUR_MS },
  /** Registrations of OAuth clients that were accepted. */
  registerHour:   { most:  20, windowMs: HOUR_MS },
  registerDay:    { most: 100, windowMs: DAY_MS },
  /** Keys that the store does not know. Good ones are remembered and do not count. */
  unknownKey:     { most: 120, windowMs: MINUTE_MS,  perNode: true },
  /** Reports of one beacon, all its exits together. */
  beaconMinute:   { most:  60, windowMs: MINUTE_MS },
  /** Access tokens and sessions that the store does not know, which those that have expired are too: a hosted app brings many of them from one address. */
  unknownToken:   { most: 300, windowMs: MINUTE_MS,  perNode: true },
} as const satisfies Readonly<Record<string, Limit>>;

/** Bounds of the whole installation for all callers together. */
export const SERVICE_CAPS = {
  /** Registered OAuth clients; at this many, one more takes the place of the oldest that no account has approved. */
  oauthClients: 10_000,
  /** Beacons that are neither revoked nor expired. */
  beacons: 500,
  /** Distinct exits of one beacon on one UTC date. */
  beaconExits: 10_000,
  /** Overrides in force. */
  overrides: 1000,
} as const;

/**
 * Lines of one sender that the intake reads, whether they are taken or refused: a sensor that was taken over cannot fill the store, nor keep it busy, before it is
 * noticed. A window begins with the first lines in it. The minute is more than the largest request.
 */
export const LINE_BUDGETS: readonly Limit[] = [
  { most: 300_000, windowMs: MINUTE_MS },
  { most: 10_000_000, windowMs: DAY_MS },
];

/** Distinct addresses that one sender names a day (`addressCount`): a busy sensor meets some ten thousand; other keys pass on an operator's data from elsewhere. */
export const ADDRESS_BUDGETS = {
  sendOnly: { most: 250_000, windowMs: DAY_MS },
  other: { most: 2 ** 24, windowMs: DAY_MS },
} as const satisfies Readonly<Record<string, Limit>>;

/** An IPv6 /48 may ask for this many times the bound of a /64: one subscriber often has a /56 or /48, and with it up to 65,536 of the narrower ones. */
const WIDER = 4;

/** The counters of one client, widest first: an IPv4 address has one, an IPv6 address that of its /48 and that of its /64. */
export function clientCounters(name: string, limit: Limit, client: Address): readonly LimitCounter[] {
  if (client.family === 4) return [{ of: 'client', id: `${name} ${formatAddress(client)}`, limit }];
  return [
    siteCounter(name, { ...limit, most: limit.most * WIDER }, client),
    { of: 'client', id: `${name} ${prefixText(client, 64)}`, limit, narrow: true },
  ];
}

/** The one counter of a whole site: an IPv4 address, an IPv6 /48. */
export const siteCounter = (name: string, limit: Limit, client: Address): LimitCounter => ({
  of: 'client',
  id: `${name} ${client.family === 4 ? formatAddress(client) : prefixText(client, 48)}`,
  limit,
});

/** The counter of something asked about: an account, an address, a link. */
export const subjectCounter = (name: string, limit: Limit, subject: string): LimitCounter => ({
  of: 'subject',
  id: `${name} ${subject}`,
  limit,
});

/** The counter of one client and something asked about. IPv6 clients count as their /64. */
export const pairCounter = (name: string, limit: Limit, client: Address, subject: string): LimitCounter => ({
  of: 'subject',
  id: `${name} ${client.family === 4 ? formatAddress(client) : prefixText(client, 64)} ${subject}`,
  limit,
});

const prefixText = (client: Address, bits: number): string => `${formatAddress(prefixOf(client, bits))}/${bits}`;

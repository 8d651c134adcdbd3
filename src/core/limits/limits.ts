import type { Address } from '../ip/address.ts';
import { formatAddress } from '../ip/format-address.ts';
import { prefixOf } from '../ip/prefix.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../units.ts';

/**
 * Cost of a request that is not a lookup, most expensive last. The quota ledger counts lookups.
 *
 * - `fixed`: answered from memory
 * - `read`: a few reads of the store
 * - `intake`: evidence from an operator's sensors
 * - `handshake`: a message to an MCP endpoint; only those that the caller's minute refuses stay counted
 * - `token`: exchange, refresh or revocation of an OAuth token, or a client's registration
 * - `write`: a row or two in the store
 * - `hash`: a password is hashed
 * - `mail`: a mail may be sent
 * - `register`: an account may be created
 */
export type CostClass = 'fixed' | 'read' | 'intake' | 'handshake' | 'token' | 'write' | 'hash' | 'mail' | 'register';

export interface Limit {
  readonly most: number;
  readonly windowMs: number;
  readonly perNode?: true;
}

/**
 * - `of`: separate tables keep a flood of addresses from crowding accounts out.
 * - `narrow`: the counter may be skipped where room is short: a wider counter bounds the same callers.
 */
export interface LimitCounter {
  readonly of: 'client' | 'subject';
  readonly id: string;
  readonly limit: Limit;
  readonly narrow?: true;
}

const QUARTER_MS = 15 * MINUTE_MS;

// Bounds of one client (an IPv4 address or an IPv6 /64) for each class.
// biome-ignore format: a table
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

// Bounds of one signed-in account on the console, over all its sessions and clients.
// biome-ignore format: a table
export const ACCOUNT_LIMITS: Readonly<Partial<Record<CostClass, Limit>>> = {
  read:  { most: 600, windowMs: MINUTE_MS },
  write: { most:  60, windowMs: MINUTE_MS },
  hash:  { most:  60, windowMs: QUARTER_MS },
};

// Further counters, besides the class of a path. A device cookie marks a browser that signed in to the mail
// address before.
// biome-ignore format: a table
export const LIMITS = {
  /**
   * Wrong passwords: of one client against one address, of one client, against one address by clients without
   * a device cookie for it, and by browsers with one.
   */
  guessPair:      { most:  10, windowMs: QUARTER_MS },
  guessClient:    { most:  50, windowMs: QUARTER_MS },
  guessAccount:   { most: 100, windowMs: QUARTER_MS },
  guessDevice:    { most:  10, windowMs: QUARTER_MS },
  rightPassword:  { most:  60, windowMs: HOUR_MS },
  guessLink:      { most:  10, windowMs: QUARTER_MS },
  /**
   * Wrong codes of an account's second factor; authenticator and recovery codes count separately. Three codes
   * of an authenticator are valid at a time, so a day of guesses succeeds with 0.03 %. Only someone with the
   * password gets this far; passkeys are not counted. Browsers with a device cookie for the account count
   * separately, so that a stranger with the password cannot lock its owner out.
   */
  guessCode:      { most:  10, windowMs: QUARTER_MS },
  guessCodeDay:   { most: 100, windowMs: DAY_MS },
  lockNotice:     { most:   1, windowMs: DAY_MS },
  followLink:     { most:  20, windowMs: HOUR_MS },
  signUpHour:     { most:  10, windowMs: HOUR_MS },
  signUpDay:      { most:  30, windowMs: DAY_MS },
  /**
   * Mails to one address: asked for by one client, by all clients without a device cookie for it, and by
   * browsers with one.
   */
  mailPair:       { most:   3, windowMs: HOUR_MS },
  mailAddress:    { most:  12, windowMs: HOUR_MS },
  mailDevice:     { most:   3, windowMs: HOUR_MS },
  /** Hosted assistants register twice per connection, all from a few addresses of their own. */
  registerHour:   { most: 100, windowMs: HOUR_MS },
  registerDay:    { most: 1000, windowMs: DAY_MS },
  /** Keys that the store does not know. Valid keys are cached and do not count. */
  unknownKey:     { most: 120, windowMs: MINUTE_MS,  perNode: true },
  /** Calls of a bouncer: one a second on average, since a start asks several times at once. */
  bouncer:        { most:  60, windowMs: MINUTE_MS },
  feedback:       { most:  10, windowMs: DAY_MS },
  list:           { most:  60, windowMs: MINUTE_MS },
  beaconMinute:   { most:  60, windowMs: MINUTE_MS },
  /**
   * Unknown access tokens and sessions, including expired ones. A hosted app sends many of them from one
   * address.
   */
  unknownToken:   { most: 300, windowMs: MINUTE_MS,  perNode: true },
} as const satisfies Readonly<Record<string, Limit>>;

export const SERVICE_CAPS = {
  /** At the cap, a new client replaces the oldest that no account has approved. */
  oauthClients: 10_000,
  beacons: 500,
  beaconExits: 10_000,
  overrides: 1000,
  /** Half is for senders with a key; beyond a bound the oldest report without one makes way. */
  feedback: 10_000,
  feedbackAddress: 10,
} as const;

/**
 * Lines of one sender that the intake reads, accepted or refused. A compromised sensor cannot fill the store
 * or keep it busy before it is noticed. A window begins with its first lines. The minute allows more than the
 * largest request.
 */
export const LINE_BUDGETS: readonly Limit[] = [
  { most: 300_000, windowMs: MINUTE_MS },
  { most: 10_000_000, windowMs: DAY_MS },
];

/**
 * Distinct addresses that one sender names per day (`addressCount`). A busy sensor meets about ten thousand;
 * other keys pass on an operator's data from elsewhere.
 */
export const ADDRESS_BUDGETS = {
  sendOnly: { most: 250_000, windowMs: DAY_MS },
  other: { most: 2 ** 24, windowMs: DAY_MS },
} as const satisfies Readonly<Record<string, Limit>>;

/**
 * An IPv6 /48 has this many times the bound of a /64: one subscriber often has a /56 or /48, and with it up
 * to 65,536 /64s.
 */
const WIDER = 4;

export function clientCounters(name: string, limit: Limit, client: Address): readonly LimitCounter[] {
  if (client.family === 4) return [{ of: 'client', id: `${name} ${formatAddress(client)}`, limit }];
  return [
    siteCounter(name, { ...limit, most: limit.most * WIDER }, client),
    { of: 'client', id: `${name} ${prefixText(client, 64)}`, limit, narrow: true },
  ];
}

export const siteCounter = (name: string, limit: Limit, client: Address): LimitCounter => ({
  of: 'client',
  id: `${name} ${client.family === 4 ? formatAddress(client) : prefixText(client, 48)}`,
  limit,
});

export const subjectCounter = (name: string, limit: Limit, subject: string): LimitCounter => ({
  of: 'subject',
  id: `${name} ${subject}`,
  limit,
});

export const clientSubjectCounter = (name: string, limit: Limit, client: Address, subject: string): LimitCounter => ({
  of: 'subject',
  id: `${name} ${client.family === 4 ? formatAddress(client) : prefixText(client, 64)} ${subject}`,
  limit,
});

const prefixText = (client: Address, bits: number): string => `${formatAddress(prefixOf(client, bits))}/${bits}`;

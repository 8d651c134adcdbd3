import type { ErrorCode } from '../../contract/errors.ts';
import type { Account, ApiKey, Caller } from '../caller/caller.ts';
import { widerClient } from '../caller/client-address.ts';
import type { Allowance, QuotaId, QuotaPool } from './quota.ts';

/** Limits of callers without an account. */
export interface OpenLimits {
  readonly anonPerMin: number;
  readonly anonPerDay: number;
  /** Per family of verified AI assistants (decisions 5.7). */
  readonly assistantPerMin: number;
  readonly assistantPerDay: number;
}

/** An anonymous IPv6 /48 may ask for this many times the allowance of a /64: one subscriber may hold 65,536 of these (decisions 5.4). */
const WIDER = 16;

/** Counted, never refused: a key without a cap of its own still has its use shown in the console. */
const UNLIMITED = 0x7fff_ffff;

export interface Allowances {
  readonly minute: readonly Allowance[];
  readonly day: readonly Allowance[];
}

/**
 * Where an anonymous caller that comes again as the same object, the client of a connection, keeps its allowances. On the object and not in a WeakMap: behind
 * a proxy every request has a caller of its own, and a map's entries live until the whole heap is collected.
 */
const KNOWN = Symbol('allowances');
type RememberingCaller = Caller & { [KNOWN]?: { readonly limits: OpenLimits; readonly allowances: Allowances } };
/** A key while its account stays as it is. Keys are few and live long. */
const ofKeys = new WeakMap<ApiKey, { readonly account: Account; readonly allowances: Allowances }>();

/** The counters one look-up of this caller is charged to (decisions 5.4). Made once for a caller that comes again. */
export function lookupAllowances(caller: Caller, limits: OpenLimits): Allowances {
  if (caller.kind === 'key') {
    const known = ofKeys.get(caller.key);
    if (known?.account === caller.account) return known.allowances;
    const allowances = made(caller, limits);
    ofKeys.set(caller.key, { account: caller.account, allowances });
    return allowances;
  }
  if (caller.kind !== 'anonymous') return made(caller, limits);
  const remembering: RememberingCaller = caller;
  const known = remembering[KNOWN];
  if (known?.limits === limits) return known.allowances;
  const allowances = made(caller, limits);
  remembering[KNOWN] = { limits, allowances };
  return allowances;
}

function made(caller: Caller, limits: OpenLimits): Allowances {
  switch (caller.kind) {
    case 'anonymous':
      return openTo(caller.client, limits);
    case 'assistant':
      return single(`agent:${caller.assistantFamily}`, limits.assistantPerMin, limits.assistantPerDay);
    case 'user':
      return { minute: [accountMinute(caller.account)], day: [accountDay(caller.account)] };
    // One text for both windows of the account: it is hashed once.
    case 'key': {
      const cap = caller.key.perDay ?? UNLIMITED;
      const minute = accountMinute(caller.account);
      return {
        minute: [minute],
        day: [
          { id: keyCounter(caller.key), limit: cap, hardLimit: cap },
          { ...accountDay(caller.account), id: minute.id },
        ],
      };
    }
  }
}

/** Allowances of a client address; of an IPv6 /64 those of its /48 first, so that a /48 that has used them up makes no more counters. */
function openTo(client: string, { anonPerMin, anonPerDay }: OpenLimits): Allowances {
  const own = single(`ip:${client}`, anonPerMin, anonPerDay);
  const wider = widerClient(client);
  if (wider === undefined) return own;
  const { minute, day } = single(`ip:${wider}`, WIDER * anonPerMin, WIDER * anonPerDay);
  return { minute: [...minute, ...own.minute], day: [...day, ...own.day] };
}

/** A key's own counter. It begins with its account, so that a cluster keeps both in one place and can charge them in one step. */
export const keyCounter = (key: Pick<ApiKey, 'id' | 'accountId'>): QuotaId => `key:${key.accountId}/${key.id}`;

/** Phone numbers have counters of their own, per account (interface, "Phone quota"). */
export function phoneAllowances(account: Account): Allowances {
  return single(`phone:${account.id}`, account.phonePerMin, account.phonePerDay);
}

/** How far a day may run: the allowance and the share of it a plan may go over, in whole units. */
function withOverage(perDay: number, overagePct: number): number {
  return Math.floor((perDay * (100 + overagePct)) / 100);
}

function single(id: QuotaId, perMin: number, perDay: number): Allowances {
  return { minute: [{ id, limit: perMin, hardLimit: perMin }], day: [{ id, limit: perDay, hardLimit: perDay }] };
}

const accountMinute = (account: Account): Allowance => ({
  id: `account:${account.id}`,
  limit: account.perMin,
  hardLimit: account.perMin,
});

const accountDay = (account: Account): Allowance => ({
  id: `account:${account.id}`,
  limit: account.perDay,
  hardLimit: withOverage(account.perDay, account.overagePct),
});

const DAY_CODES: Readonly<Record<QuotaPool, ErrorCode>> = {
  ip: 'quota_exceeded_anon',
  account: 'quota_exceeded',
  key: 'key_quota_exceeded',
  agent: 'quota_exceeded_ai_agent',
  phone: 'quota_exceeded',
};

export const poolOf = (id: QuotaId): QuotaPool => id.slice(0, id.indexOf(':')) as QuotaPool;

/** The 429 code when this counter's day is used up. */
export const dayCode = (refusedBy: QuotaId): ErrorCode => DAY_CODES[poolOf(refusedBy)];

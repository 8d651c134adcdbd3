import type { ErrorCode } from '../../contract/errors.ts';
import type { Account, ApiKey, Caller } from '../caller/caller.ts';
import { clientPrefix } from '../caller/client-address.ts';
import type { Allowance, QuotaId, QuotaPool } from './quota.ts';

export interface OpenLimits {
  readonly anonPerMin: number;
  readonly anonPerDay: number;
  readonly assistantPerMin: number;
  readonly assistantPerDay: number;
}

/**
 * An anonymous IPv6 /48 has this many times the allowance of a /64, since one subscriber may hold all its
 * 65,536 /64s (decisions 5.4).
 */
const WIDER = 16;

const UNLIMITED = 0x7fff_ffff;

export interface Allowances {
  readonly minute: readonly Allowance[];
  readonly day: readonly Allowance[];
}

/**
 * Property that caches the allowances on an anonymous caller, because the client of a connection returns as
 * the same object. A WeakMap would be worse: behind a proxy every request has its own caller, and the entries
 * live until the whole heap is collected.
 */
const KNOWN = Symbol('allowances');
type RememberingCaller = Caller & { [KNOWN]?: { readonly limits: OpenLimits; readonly allowances: Allowances } };
const ofKeys = new WeakMap<ApiKey, { readonly account: Account; readonly allowances: Allowances }>();

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
    // Both windows of the account use the same id string, so that it is hashed once.
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

/**
 * Allowances of a client address. For an IPv6 /64 those of its /48 come first, so that an exhausted /48
 * creates no more counters.
 */
function openTo(client: string, { anonPerMin, anonPerDay }: OpenLimits): Allowances {
  const own = single(`ip:${client}`, anonPerMin, anonPerDay);
  const wider = clientPrefix(client);
  if (wider === undefined) return own;
  const { minute, day } = single(`ip:${wider}`, WIDER * anonPerMin, WIDER * anonPerDay);
  return { minute: [...minute, ...own.minute], day: [...day, ...own.day] };
}

/** Begins with the account's id, so that a cluster keeps both in one place and charges them in one step. */
export const keyCounter = (key: Pick<ApiKey, 'id' | 'accountId'>): QuotaId => `key:${key.accountId}/${key.id}`;

export function phoneAllowances(account: Account): Allowances {
  return single(`phone:${account.id}`, account.phonePerMin, account.phonePerDay);
}

function withOverage(perDay: number, overagePct: number): number {
  return Math.floor((perDay * (100 + overagePct)) / 100);
}

function single(id: QuotaId, perMin: number, perDay: number): Allowances {
  return { minute: [{ id, limit: perMin, hardLimit: perMin }], day: [{ id, limit: perDay, hardLimit: perDay }] };
}

export const accountCounter = ({ id }: Pick<Account, 'id'>): QuotaId => `account:${id}`;

const accountMinute = (account: Account): Allowance => ({
  id: accountCounter(account),
  limit: account.perMin,
  hardLimit: account.perMin,
});

const accountDay = (account: Account): Allowance => ({
  id: accountCounter(account),
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

export const dayCode = (refusedBy: QuotaId): ErrorCode => DAY_CODES[poolOf(refusedBy)];

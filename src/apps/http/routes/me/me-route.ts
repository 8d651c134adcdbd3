import type { Me } from '../../../../contract/documents.ts';
import type { Account, ApiKey } from '../../../../core/caller/caller.ts';
import { keyCounter, lookupAllowances, phoneAllowances } from '../../../../core/quota/allowances.ts';
import type { DayUsage } from '../../../../core/quota/quota.ts';
import type { UnixMs } from '../../../../core/units.ts';
import { dayLimitOf, describeMe } from '../../../../service/accounts/describe-me.ts';
import { Problem } from '../../../../service/problem.ts';
import type { Exchange } from '../../exchange.ts';
import type { LookupServices } from '../../services.ts';
import type { HttpPlugin } from '../../step.ts';

export interface MeOptions {
  readonly quotaTz: string;
  readonly phone: boolean;
  readonly salesContact?: string | undefined;
}

/** GET /v1/me describes owner, rights and use of the key. It counts nothing (decisions 5.4). */
export function meRoute(options: MeOptions): HttpPlugin {
  return (app, { services }) => {
    app.get('/v1/me', async ({ exchange }) => {
      if (exchange.caller?.kind !== 'key') throw new Problem('key_required');
      return describeCaller(exchange, services, options);
    });
  };
}

/**
 * Describes the account that asks, by key or signed in, and sets the windows of the headers. @throws Problem
 * key_required
 */
export async function describeCaller(exchange: Exchange, services: LookupServices, options: MeOptions): Promise<Me> {
  const { caller, at } = exchange;
  if (caller?.kind !== 'key' && caller?.kind !== 'user') throw new Problem('key_required');
  const { account } = caller;
  const key = caller.kind === 'key' ? caller.key : undefined;
  const phone = options.phone && account.phoneEnabled && key?.phone !== false;
  const [day, { minute }] = await Promise.all([
    dayOf(services, account, key, phone, at),
    services.ledger.windows({ ...lookupAllowances(caller, services.limits), day: [] }, at),
  ]);
  exchange.day = dayLimitOf({ account, key, ...day });
  exchange.minute = minute;
  const { quotaTz, salesContact } = options;
  return describeMe({ account, key, ...day, quotaTz, ...(salesContact === undefined ? {} : { salesContact }) });
}

interface DayOf {
  readonly used: DayUsage;
  readonly keyUsed: DayUsage | undefined;
  readonly phoneUsed: DayUsage | undefined;
}

async function dayOf(
  { ledger }: LookupServices,
  account: Account,
  key: ApiKey | undefined,
  phone: boolean,
  at: UnixMs,
): Promise<DayOf> {
  const [used, keyUsed, phoneUsed] = await Promise.all([
    ledger.usage(`account:${account.id}`, at),
    key?.perDay === undefined ? undefined : ledger.usage(keyCounter(key), at),
    phone ? ledger.usage(phoneAllowances(account).day[0]!.id, at) : undefined,
  ]);
  return { used, keyUsed, phoneUsed };
}

import type { Account, ApiKey } from '../../../../core/caller/caller.ts';
import { keyCounter, lookupAllowances, phoneAllowances } from '../../../../core/quota/allowances.ts';
import type { DayUsage } from '../../../../core/quota/quota.ts';
import type { UnixMs } from '../../../../core/units.ts';
import { dayLimitOf, describeMe } from '../../../../service/accounts/describe-me.ts';
import { Problem } from '../../../../service/problem.ts';
import type { HttpPlugin } from '../../http-plugin.ts';
import type { HttpServices } from '../../services.ts';

export interface MeOptions {
  /** IANA zone of the quota day, as the ledger has it. */
  readonly quotaTz: string;
  /** Whether this deployment answers phone lookups at all. */
  readonly phone: boolean;
  /** Address to write to for more than the plans offer. */
  readonly salesContact?: string | undefined;
}

/** GET /v1/me: owner, rights and use of the key. Counts nothing (decisions 5.4). */
export function meRoute(options: MeOptions): HttpPlugin {
  return (app, { services }) => {
    app.get('/v1/me', async ({ exchange }) => {
      const { caller, at } = exchange;
      if (caller?.kind !== 'key') throw new Problem('key_required');
      const { account, key } = caller;
      const phone = options.phone && account.phoneEnabled && key.phone;
      const [day, { minute }] = await Promise.all([
        dayOf(services, account, key, phone, at),
        services.ledger.windows({ ...lookupAllowances(caller, services.limits), day: [] }, at),
      ]);
      exchange.day = dayLimitOf({ account, key, ...day });
      exchange.minute = minute;
      return describeMe({
        account,
        key,
        ...day,
        quotaTz: options.quotaTz,
        ...(options.salesContact === undefined ? {} : { salesContact: options.salesContact }),
      });
    });
  };
}

interface DayOf {
  readonly used: DayUsage;
  readonly keyUsed: DayUsage | undefined;
  readonly phoneUsed: DayUsage | undefined;
}

async function dayOf(
  { ledger }: HttpServices,
  account: Account,
  key: ApiKey,
  phone: boolean,
  at: UnixMs,
): Promise<DayOf> {
  const [used, keyUsed, phoneUsed] = await Promise.all([
    ledger.usage(`account:${account.id}`, at),
    key.perDay === undefined ? undefined : ledger.usage(keyCounter(key), at),
    phone ? ledger.usage(phoneAllowances(account).day[0]!.id, at) : undefined,
  ]);
  return { used, keyUsed, phoneUsed };
}

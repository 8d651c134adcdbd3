import { setImmediate } from 'node:timers/promises';
import type { ConsoleUsage, ConsoleUsageDay } from '../../contract/console.ts';
import type { Account, ApiKey } from '../../core/caller/caller.ts';
import { keyCounter, phoneAllowances } from '../../core/quota/allowances.ts';
import type { DayUsage, QuotaId } from '../../core/quota/quota.ts';
import { DAY_MS, type UnixMs } from '../../core/units.ts';
import type { Ledger } from '../ports.ts';
import { describeMe } from './describe-me.ts';

const USAGE_DAYS = 30;

export interface UsageQuery {
  readonly account: Account;
  readonly keys: readonly ApiKey[];
  readonly now: UnixMs;
  readonly quotaTz: string;
  readonly phone: boolean;
  readonly salesContact?: string | undefined;
}

export async function describeUsage(ledger: Pick<Ledger, 'usageOf'>, query: UsageQuery): Promise<ConsoleUsage> {
  const { account, keys, now, quotaTz, phone, salesContact } = query;
  const phoneId = phone && account.phoneEnabled ? phoneAllowances(account).day[0]!.id : undefined;
  const ids: readonly QuotaId[] = [
    `account:${account.id}`,
    ...keys.map(keyCounter),
    ...(phoneId === undefined ? [] : [phoneId]),
  ];
  const rows = await ledger.usageOf(ids, now, USAGE_DAYS);
  const phoneOf = (row: readonly DayUsage[]): DayUsage | undefined => (phoneId === undefined ? undefined : row.at(-1));
  const today = rows.at(-1)!;
  return {
    me: describeMe({
      account,
      key: undefined,
      used: today[0]!,
      keyUsed: undefined,
      phoneUsed: phoneOf(today),
      quotaTz,
      ...(salesContact === undefined ? {} : { salesContact }),
    }),
    ...(phoneId === undefined ? {} : { phone_per_min: account.phonePerMin }),
    days: await eachInTurn(rows, (row) => dayDocument(keys, row, phoneOf(row))),
  };
}

/** Yields between items: one day of an account with many keys fills a turn of the event loop. */
async function eachInTurn<Item, Made>(items: readonly Item[], make: (item: Item) => Made): Promise<readonly Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    made.push(make(item));
    await setImmediate();
  }
  return made;
}

function dayDocument(
  keys: readonly ApiKey[],
  [ofAccount, ...rest]: readonly DayUsage[],
  phone: DayUsage | undefined,
): ConsoleUsageDay {
  const byKey = keys.map(({ id }, index): [string, number] => [id, rest[index]!.used]).filter(([, used]) => used > 0);
  return {
    day: new Date(ofAccount!.dayNumber * DAY_MS).toISOString().slice(0, 10),
    used: ofAccount!.used,
    keys: Object.fromEntries(byKey),
    ...(phone === undefined ? {} : { phone: phone.used }),
  };
}

import type { SqlOverrideStore } from '../../adapters/overrides/sql-override-store.ts';
import { webhookSender } from '../../adapters/watchlists/webhook-sender.ts';
import type { Config } from '../../config.ts';
import { PrefixPeriods } from '../../core/ip/prefix-periods.ts';
import { withOverrides } from '../../core/risk/known-good.ts';
import { MINUTE_MS } from '../../core/units.ts';
import type { RepeatedWork } from '../../service/every.ts';
import type { Clock, HistoryTimeline, KeyDirectory, LookupView } from '../../service/ports.ts';
import { checkWatchlist, dueLater } from '../../service/watchlists/check-watchlist.ts';
import { sendDeliveries } from '../../service/watchlists/send-deliveries.ts';
import type { DueWatchlist, WatchlistStore } from '../../service/watchlists/watchlist-store.ts';

export interface WatchOptions {
  readonly config: Pick<Config, 'webhookAllow'>;
  readonly store: WatchlistStore;
  readonly secret: Uint8Array;
  readonly clock: Clock;
  readonly view: () => LookupView | undefined;
  readonly history: HistoryTimeline | undefined;
  readonly overrides: Pick<SqlOverrideStore, 'all'>;
  readonly keys: Pick<KeyDirectory, 'account'>;
  readonly repeat: (name: string, work: () => Promise<void>, meanwhile: string) => RepeatedWork;
}

/** Longer than a check takes, so that no other node makes the same one. */
const LEASE_MS = MINUTE_MS;
/** A list whose receiver takes nothing is not checked while so many deliveries wait: history keeps its changes. */
const WAITING_MAX = 10_000;

/** Checks watch lists and sends their deliveries, outside requests. Each list is checked by one node at a time. */
export function openWatchlists(options: WatchOptions): { close(): Promise<void> } {
  const { config, store, secret, clock, view, repeat } = options;
  const check = async (): Promise<void> => {
    for (let now = view(); now !== undefined; now = view()) {
      const list = await store.claimDue(clock.now(), LEASE_MS);
      if (list === undefined) return;
      await checkDue(list, now, options);
    }
  };
  const ending = new AbortController();
  const sending = { store, secret, clock, send: webhookSender(config.webhookAllow), signal: ending.signal };
  const running = [
    repeat('watch lists', check, 'their changes are taken in later'),
    repeat('deliveries of watch lists', () => sendDeliveries(sending), 'they are sent later'),
  ];
  return {
    async close() {
      ending.abort();
      await Promise.all(running.map((one) => one.stop()));
    },
  };
}

async function checkDue(list: DueWatchlist, view: LookupView, options: WatchOptions): Promise<void> {
  const { store, clock, history, overrides, keys } = options;
  const account = await keys.account(list.accountId);
  const now = clock.now();
  const isWatched =
    account?.disabled === false &&
    account.dataTier === 'professional' &&
    list.goneAt === undefined &&
    (await store.waiting(list)) < WAITING_MAX;
  const own = withOverrides(view.protection, account?.allowed && new PrefixPeriods(account.allowed));
  const dpa = account?.dpa === true;
  const states = await store.states(list);
  const outcome = isWatched
    ? await checkWatchlist(list, {
        view: { ...view, protection: own },
        dpa,
        history,
        states,
        now,
        overrides: await overrides.all(),
      })
    : undefined;
  const later = { states: new Map(), deliveries: [], checkedAt: list.checkedAt, dueAt: dueLater(now, dpa) };
  await store.commit(list, outcome ?? later);
}

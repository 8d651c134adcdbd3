import { join, resolve } from 'node:path';
import { FeedStateFiles } from '../../adapters/feeds/feed-state-files.ts';
import { readSite } from '../../adapters/site/read-site.ts';
import { accountRoutes } from '../../apps/console/account-routes.ts';
import { evidenceRoutes } from '../../apps/console/evidence-routes.ts';
import { type FeedDesk, operatorRoutes } from '../../apps/console/operator-routes.ts';
import { consolePhoneRoutes } from '../../apps/console/phone-routes.ts';
import { statusRoutes } from '../../apps/console/status-routes.ts';
import type { HttpPlugin } from '../../apps/http/create-app.ts';
import { openApiRoute } from '../../apps/http/openapi/openapi-route.ts';
import { siteRoutes } from '../../apps/site/site-routes.ts';
import type { Config } from '../../config.ts';
import type { SourceStatus } from '../../contract/status.ts';
import type { AccountStore } from '../../service/account-store.ts';
import { feedHealth } from '../../service/feed-health.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { KeyHasher } from '../../service/key-hasher.ts';
import type { PhoneData } from '../../service/lookup-phone.ts';
import type { Clock, HistoryStore, LookupView } from '../../service/ports.ts';
import { openFeedStates } from '../feeds/open-feeds.ts';

export interface SiteOptions {
  readonly config: Config;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly accounts: AccountStore;
  readonly hasher: KeyHasher;
  readonly phone: PhoneData | undefined;
  readonly history: Pick<HistoryStore, 'observationsAtEach' | 'earliest'> | undefined;
  readonly view: () => LookupView | undefined;
  /** Asks the control thread to read a feed now. */
  readonly refreshFeed: (id: string) => void;
}

const SITE = resolve(import.meta.dirname, '../../../console/dist');

/** The site, the console's JSON endpoints and openapi.json of one thread. */
export function openSite(options: SiteOptions): readonly HttpPlugin[] {
  const { config, clock, accounts } = options;
  const site = readSite(SITE);
  const startedAt = isoTime(clock.now());
  const desk = feedDesk(options);
  const console: HttpPlugin = (app, { services }) => {
    accountRoutes(app, {
      accounts,
      hasher: options.hasher,
      ledger: services.ledger,
      clock,
      quotaTz: config.quotaTz,
      phone: config.phone,
      salesContact: config.salesContact,
    });
    evidenceRoutes(app, { pulse: services.pulse, history: options.history });
    consolePhoneRoutes(app, services, options.phone);
    operatorRoutes(app, { accounts, feeds: desk, clock });
    statusRoutes(app, () => {
      const view = options.view();
      return {
        ready: view !== undefined,
        degraded: view?.degraded ?? false,
        started_at: startedAt,
        data_version: view?.dataVersion ?? { risk: 'none', geo: 'none' },
        history: config.history,
        phone: config.phone,
        sources: desk.list().map(({ last_error: _error, ...source }): SourceStatus => source),
      };
    });
  };
  return [...(site === undefined ? [] : [siteRoutes(site, options.baseUrl)]), console, openApiRoute(options.baseUrl)];
}

/** Feeds as their state files describe them: the control thread writes them, every thread may read them. */
function feedDesk({ config, clock, refreshFeed }: SiteOptions): FeedDesk {
  const { catalogue } = openFeedStates(config);
  return {
    list() {
      const states = new FeedStateFiles(join(config.dataDir, 'feeds'));
      const health = new Map(feedHealth(catalogue, states, clock.now()).map((row) => [row.id, row]));
      return catalogue.map((feed) => {
        const state = states.get(feed.id);
        return {
          id: feed.id,
          title: feed.title,
          feeds: feed.effect.kind === 'risk' ? feed.effect.riskType : 'network',
          rows: state.rows,
          overdue: health.get(feed.id)?.overdue ?? false,
          url: feed.url,
          licence: feed.licence,
          ...(state.lastSuccessAt === undefined ? {} : { last_success_at: isoTime(state.lastSuccessAt) }),
          ...(state.error === undefined || state.error === '' ? {} : { last_error: state.error }),
        };
      });
    },
    refresh(id) {
      if (config.feeds === 'off' || !catalogue.some((feed) => feed.id === id)) return false;
      refreshFeed(id);
      return true;
    },
  };
}

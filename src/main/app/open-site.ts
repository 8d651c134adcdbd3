import { resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { HistoryThread } from '../../adapters/evidence/history-thread.ts';
import { senderNameFault } from '../../adapters/feeds/catalogue.ts';
import { openBuiltSite } from '../../adapters/site/open-built-site.ts';
import { accountRoutes } from '../../apps/console/account-routes.ts';
import { collectionRoutes } from '../../apps/console/collection-routes.ts';
import { evidenceRoutes } from '../../apps/console/evidence-routes.ts';
import { feedbackRoutes } from '../../apps/console/feedback-routes.ts';
import { operatorRoutes } from '../../apps/console/operator-routes.ts';
import { overrideRoutes } from '../../apps/console/override-routes.ts';
import { consolePhoneRoutes } from '../../apps/console/phone-routes.ts';
import { policyRoutes } from '../../apps/console/policy-routes.ts';
import { statusRoutes } from '../../apps/console/status-routes.ts';
import { TodayCounts } from '../../apps/console/today-counts.ts';
import { openApiRoute } from '../../apps/http/openapi/openapi-route.ts';
import type { HttpServices } from '../../apps/http/services.ts';
import type { HttpPlugin } from '../../apps/http/step.ts';
import type { DocsFiles } from '../../apps/site/docs-files.ts';
import { docsRoutes } from '../../apps/site/docs-routes.ts';
import { siteRoutes } from '../../apps/site/site-routes.ts';
import type { Config } from '../../config.ts';
import type { Status } from '../../contract/status.ts';
import { isClockWrong } from '../../core/clock-offset.ts';
import { MINUTE_MS } from '../../core/units.ts';
import type { AccountStore } from '../../service/accounts/account-store.ts';
import type { KeyHasher } from '../../service/accounts/password.ts';
import type { BeaconStore } from '../../service/beacons/beacon-store.ts';
import { every } from '../../service/every.ts';
import type { FeedbackStore } from '../../service/feedback/feedback-store.ts';
import { NO_FEED_NOTES } from '../../service/feeds/feed-ports.ts';
import type { CollectionStore } from '../../service/intake/intake-ports.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { ExplainLookup } from '../../service/lookup/explain-lookup.ts';
import { highExample } from '../../service/lookup/high-example.ts';
import type { OverrideStore } from '../../service/overrides/overrides.ts';
import type { PhoneData } from '../../service/phone/lookup-phone.ts';
import type { Clock, HistoryTimeline, LookupView, MissingSourcesReport } from '../../service/ports.ts';
import type { News } from '../../service/serving/data-state.ts';
import { describeSources } from './describe-feeds.ts';
import { openFeedAdmin } from './open-feed-admin.ts';

export interface SiteOptions {
  readonly config: Config;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly docs: DocsFiles;
  readonly accounts: AccountStore;
  readonly hasher: KeyHasher;
  readonly beacons: BeaconStore;
  readonly overrides: OverrideStore;
  readonly collection: CollectionStore;
  readonly phone: PhoneData | undefined;
  readonly history: HistoryTimeline | undefined;
  readonly explaining: ExplainLookup;
  readonly feedback: FeedbackStore;
  readonly view: () => LookupView | undefined;
  readonly news: () => News;
  readonly refreshFeed: (id: string) => void;
  readonly acceptReading: HistoryThread['acceptReading'];
}

const SITE = resolve(import.meta.dirname, '../../../console/dist');

export function openSite(options: SiteOptions): readonly HttpPlugin[] {
  const { config, baseUrl, clock, accounts, docs } = options;
  const startedAt = isoTime(clock.now());
  const desk = openFeedAdmin(options);
  const status = (): Status => {
    const view = options.view();
    const { leftOut, feedNotes, clocks } = options.news();
    return {
      ready: view !== undefined,
      degraded: view?.degraded ?? false,
      started_at: startedAt,
      data_version: view?.dataVersion ?? { risk: 'none', geo: 'none' },
      history: config.history,
      phone: config.phone,
      clocks: clocks.filter(isClockWrong).map(({ name, offsetMs }) => ({ store: name, offset_sec: offsetMs / 1000 })),
      ...evidenceStatus(leftOut),
      sources: describeSources(config, feedNotes ?? NO_FEED_NOTES, clock.now()),
    };
  };
  const console: HttpPlugin = (app, { services }) => {
    accountRoutes(app, {
      accounts,
      hasher: options.hasher,
      ledger: services.ledger,
      clock,
      quotaTz: config.quotaTz,
      phone: config.phone,
      salesContact: config.salesContact,
      senderNameFault,
    });
    evidenceRoutes(app, {
      pulse: services.pulse,
      history: options.history,
      explaining: options.explaining,
      overrides: options.overrides,
    });
    consolePhoneRoutes(app, services, options.phone);
    collectionRoutes(app, {
      beacons: options.beacons,
      collection: options.collection,
      hasher: options.hasher,
      clock,
      view: options.view,
    });
    feedbackRoutes(app, { feedback: options.feedback, overrides: options.overrides, clock });
    policyRoutes(app, { accounts, clock });
    overrideRoutes(app, { overrides: options.overrides, clock });
    operatorRoutes(app, {
      accounts,
      feeds: desk,
      faults: () => [...options.news().faults].map(([job, reason]) => ({ job, reason })),
      clock,
      ledger: services.ledger,
      today: openToday(app, services, config.quotaTz),
    });
    statusRoutes(app, () => {
      const away = services.storesAway?.() ?? [];
      return { ...status(), ...(away.length > 0 && { degraded: true, stores_away: away }) };
    });
  };
  return [
    siteRoutes({
      built: openBuiltSite(SITE),
      baseUrl,
      signup: config.signup,
      status,
      contact: config.contact,
      docs,
      hasCompanySignOn: config.oidcIssuer !== undefined,
      addressLinks: config.addressLinks,
      highExample: highExample(options.view, () => clock.now()),
    }),
    docsRoutes(docs, baseUrl),
    console,
    openApiRoute(baseUrl),
  ];
}

function openToday(
  app: FastifyInstance,
  { counts, clock, log }: HttpServices,
  quotaTz: string,
): TodayCounts | undefined {
  if (counts === undefined) return undefined;
  const today = new TodayCounts({ counts, clock, quotaTz });
  const meanwhile = 'the operator page counts from an earlier day';
  const beginning = every('beginning of the day', MINUTE_MS, () => today.beginDay(), { log, meanwhile });
  app.addHook('onClose', () => beginning.stop());
  return today;
}

function evidenceStatus(leftOut: MissingSourcesReport | undefined): Pick<Status, 'evidence'> {
  if (leftOut === undefined || leftOut.silent || leftOut.expected === 0) return {};
  const { ids, retired, expected, since } = leftOut;
  return {
    evidence: {
      expected,
      missing: ids.length,
      retired: retired.length,
      ...(since !== undefined && { since: isoTime(since) }),
    },
  };
}

/**
 * Every path of an HTTP thread besides lookups. It is loaded after lookups are answered, since its libraries
 * take most of a thread's start.
 */

import { KyselyAccountStore } from '../../adapters/accounts/kysely-account-store.ts';
import type { OpenKeys } from '../../adapters/accounts/open-keys.ts';
import { SqlBeaconStore } from '../../adapters/beacons/sql-beacon-store.ts';
import { SqlCollectionStore } from '../../adapters/collection/sql-collection-store.ts';
import { loadSecret } from '../../adapters/data-folder/deployment-secret.ts';
import { BULK_DEADLINE } from '../../adapters/database/keep-deadline.ts';
import { connectDatabase, emptyWriteLog } from '../../adapters/database/open-database.ts';
import { pruneChanges } from '../../adapters/database/record-change.ts';
import type { SharedGeo } from '../../adapters/evidence/geo-facts.ts';
import { HistoryThread } from '../../adapters/evidence/history-thread.ts';
import { SqlFeedbackStore } from '../../adapters/feedback/sql-feedback-store.ts';
import { derivedBy, senderNameFault } from '../../adapters/feeds/catalogue.ts';
import { chineseDivisions } from '../../adapters/layers/chinese-divisions.ts';
import { ownAddresses } from '../../adapters/layers/load-intake-refusals.ts';
import { SharedHashGate } from '../../adapters/limits/memory/shared-hash-gate.ts';
import { SqlListStore } from '../../adapters/lists/sql-list-store.ts';
import { SqlOAuthStore } from '../../adapters/oauth/sql-oauth-store.ts';
import { SqlOverrideStore } from '../../adapters/overrides/sql-override-store.ts';
import { openPhoneReader } from '../../adapters/phone-db/open-phone.ts';
import { SqlSecondFactorStore } from '../../adapters/sign-in/sql-second-factor-store.ts';
import { SqlSessionStore, SqlSignInStore } from '../../adapters/sign-in/sql-sign-in-store.ts';
import type { Logger } from '../../adapters/system/create-logger.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { SqlWatchlistStore } from '../../adapters/watchlists/sql-watchlist-store.ts';
import { ipBatchRoute } from '../../apps/console/ip-batch-route.ts';
import { namesRoute } from '../../apps/console/names-route.ts';
import { allowListRoutes } from '../../apps/http/routes/allow-list/allow-list-routes.ts';
import { beaconRoute } from '../../apps/http/routes/beacon/beacon-route.ts';
import { bouncerRoutes } from '../../apps/http/routes/bouncer/bouncer-routes.ts';
import { databaseRoutes } from '../../apps/http/routes/databases/database-routes.ts';
import { type AcceptCaptures, evidenceRoute } from '../../apps/http/routes/evidence/evidence-route.ts';
import { explainRoutes } from '../../apps/http/routes/explain/explain-routes.ts';
import { feedbackRoute } from '../../apps/http/routes/feedback/feedback-route.ts';
import { healthRoute } from '../../apps/http/routes/health/health-route.ts';
import { listRoutes } from '../../apps/http/routes/lists/list-routes.ts';
import { meRoute } from '../../apps/http/routes/me/me-route.ts';
import { networkRoutes } from '../../apps/http/routes/network/network-routes.ts';
import { phoneRoutes } from '../../apps/http/routes/phone/phone-routes.ts';
import { reportRoutes } from '../../apps/http/routes/reports/report-routes.ts';
import { sandboxRoutes } from '../../apps/http/routes/sandbox/sandbox-routes.ts';
import { watchlistRoutes } from '../../apps/http/routes/watchlists/watchlist-routes.ts';
import type { BeaconDirectory, SessionDirectory } from '../../apps/http/services.ts';
import type { HttpPlugin } from '../../apps/http/step.ts';
import type { Config } from '../../config.ts';
import { isKeyText } from '../../core/caller/sent-key.ts';
import { DAY_MS, HOUR_MS, type UnixMs } from '../../core/units.ts';
import { pruneAudit } from '../../service/accounts/audit.ts';
import { NO_FEED_NOTES } from '../../service/feeds/feed-ports.ts';
import { deliveryEvent } from '../../service/intake/intake-ports.ts';
import type { Limiter } from '../../service/limiter.ts';
import { TimelineLookup } from '../../service/lookup/describe-timeline.ts';
import { type ExplainHistory, ExplainLookup } from '../../service/lookup/explain-lookup.ts';
import { identifyAddress } from '../../service/lookup/lookup-ip.ts';
import type { HistoryPast, HistoryTimeline, LookupView } from '../../service/ports.ts';
import type { News, Publish } from '../../service/serving/data-state.ts';
import { publishFault, repeat } from '../../service/serving/repeat.ts';
import { purgeSignIn } from '../../service/sign-in/purge-sign-in.ts';
import { DatabaseFiles } from '../bulk/database-files.ts';
import { ListThread } from '../lists/list-thread.ts';
import { baseUrlOf, type FromThread, type ThreadStart } from '../threads/thread-messages.ts';
import { describeSources } from './describe-feeds.ts';
import { openAudit } from './open-audit.ts';
import { openDocs, scorePage } from './open-docs.ts';
import { openOAuth } from './open-oauth.ts';
import { openSite } from './open-site.ts';
import { openWatchlists } from './open-watchlists.ts';
import { reportNoOperator } from './report-no-operator.ts';

/** Interval of work outside requests. An audit event is in the log, its copy and the mail after about two of these. */
const EVERY_MS = 1000;

export interface AppRoutesOptions {
  readonly start: Pick<ThreadStart, 'config' | 'port' | 'limits' | 'owner' | 'riskVersion'>;
  readonly keys: OpenKeys;
  readonly limiter: Limiter;
  readonly history: (HistoryPast & HistoryTimeline & ExplainHistory) | undefined;
  readonly view: () => LookupView | undefined;
  readonly geo: () => SharedGeo | undefined;
  readonly asName: (asn: number) => string | undefined;
  readonly news: () => News;
  readonly log: Logger;
  readonly tell: (message: FromThread) => void;
}

export interface AppRoutes {
  readonly plugins: readonly HttpPlugin[];
  readonly sessions: SessionDirectory;
  readonly beacons: BeaconDirectory;
  close(): Promise<void>;
}

export async function openAppRoutes({
  start,
  keys,
  limiter,
  history,
  view,
  geo,
  asName,
  news,
  log,
  tell,
}: AppRoutesOptions): Promise<AppRoutes> {
  const { config } = start;
  const baseUrl = baseUrlOf({ ...config, port: start.port });
  const db = await keys.records();
  const phone = openPhoneReader(config, loadSecret(config));
  const writing = new HistoryThread(config, { forCallers: true, geo, own: ownAddresses(config) });
  const accounts = new KyselyAccountStore(db);
  const publish: Publish = (message) => tell({ type: 'publish', message });
  const everySecond = (name: string, work: () => Promise<void>, meanwhile: string) => {
    publishFault(publish, name, undefined);
    return repeat({ log, publish }, name, EVERY_MS, work, { meanwhile });
  };
  const audit = openAudit({ config, baseUrl, accounts, clock: systemClock, log, repeat: everySecond });
  const explaining = new ExplainLookup(history, derivedBy);
  const overrides = new SqlOverrideStore(db);
  const docs = openDocs();
  const timeline = new TimelineLookup(history, () => overrides.all());
  const oauth = openOAuth({
    config,
    baseUrl,
    keys,
    db,
    clock: systemClock,
    log,
    limiter,
    hashing: new SharedHashGate(start.limits.hashing, start.owner),
    view,
    onEvent: audit.onEvent,
    resources: {
      scorePage: scorePage(docs),
      sources: () => describeSources(config, news().feedNotes ?? NO_FEED_NOTES, systemClock.now()),
    },
    accountTools: {
      explain: explaining,
      timeline,
      phone,
      me: { quotaTz: config.quotaTz, phone: config.phone, salesContact: config.salesContact },
    },
  });
  if (start.riskVersion === undefined) void reportNoOperator(accounts, log);
  const pruning = pruneRecords(config, { log, publish });
  const beacons = new SqlBeaconStore(db);
  const lists = new ListThread(config);
  const databases = new DatabaseFiles({ config, log });
  const accept: AcceptCaptures = async (body, request) => {
    const reply = await writing.accept(body, request);
    if (reply.status === 'taken' && request.key !== undefined)
      audit.onEvent(deliveryEvent(`key:${request.key.id}`, request.account, reply.outcome, request.at));
    return reply;
  };
  const feedback = new SqlFeedbackStore(db);
  const watching = { store: new SqlWatchlistStore(db), secret: loadSecret(config).subkey('webhook') };
  const watchlists = openWatchlists({
    ...watching,
    config,
    clock: systemClock,
    view,
    history,
    overrides,
    keys: keys.directory,
    repeat: everySecond,
  });
  const site = openSite({
    config,
    docs,
    baseUrl,
    clock: systemClock,
    accounts,
    hasher: keys.hasher,
    beacons,
    overrides,
    collection: new SqlCollectionStore(db),
    phone,
    history,
    explaining,
    feedback,
    view,
    news,
    refreshFeed: (id) => tell({ type: 'refresh-feed', id }),
    acceptReading: (feed, digest) => writing.acceptReading(feed, digest),
  });
  return {
    plugins: [
      ...httpPlugins(config),
      audit.plugin,
      ...oauth.plugins,
      ...site,
      feedbackRoute(feedback, explaining, limiter, loadSecret(config).subkey('feedback')),
      explainRoutes({ lookup: explaining, timeline }),
      (app) =>
        namesRoute(app, {
          asName,
          identityOf: (address) => {
            const now = view();
            if (now === undefined) return {};
            const identity = identifyAddress(now, address, systemClock.now(), now.observations(address));
            return { ...identity, asn: now.network(address).asn, geoJson: now.geoJson(address) };
          },
          divisions: chineseDivisions,
        }),
      phoneRoutes(phone),
      databaseRoutes(databases.find),
      reportRoutes(accept),
      evidenceRoute({
        accept,
        heartbeat: (heartbeat) => writing.heartbeat(heartbeat),
        senderNameFault,
      }),
      allowListRoutes(accounts),
      watchlistRoutes(watching.store, watching.secret, config.webhookAllow),
      bouncerRoutes(lists),
      listRoutes({ store: new SqlListStore(db), files: lists, history }),
      beaconRoute(beacons, async (source, rows, at) => {
        const outcome = await writing.import(source, rows, at);
        audit.onEvent(deliveryEvent(`beacon:${source}`, source, outcome, at));
        return outcome;
      }),
    ],
    sessions: oauth.sessions,
    // Tokens are not cached, so that every thread knows as much as the store.
    beacons: {
      find: async (token) => (isKeyText(token, 'pb_') ? beacons.findByHash(keys.hasher.hash(token)) : undefined),
    },
    async close() {
      oauth.close();
      await watchlists.close();
      await databases.close();
      await audit.close();
      await phone?.libraries.close();
      await lists.close();
      await writing.close();
      await pruning.stop();
    },
  };
}

export function httpPlugins(config: Config): readonly HttpPlugin[] {
  return [
    healthRoute(),
    networkRoutes,
    ipBatchRoute,
    meRoute({ quotaTz: config.quotaTz, phone: config.phone, salesContact: config.salesContact }),
    sandboxRoutes,
  ];
}

/**
 * Deletes rows past their retention, and the traces of deleted text, at the start and once an hour. It runs in
 * the thread with the records, on a connection of its own.
 */
export function pruneRecords(config: Config, by: Parameters<typeof repeat>[0]): { stop(): Promise<void> } {
  const db = connectDatabase(config, BULK_DEADLINE);
  const [accounts, beacons, collection] = [
    new KyselyAccountStore(db),
    new SqlBeaconStore(db),
    new SqlCollectionStore(db),
  ];
  const signIn = {
    oauth: new SqlOAuthStore(db),
    sessions: new SqlSessionStore(db),
    signIn: new SqlSignInStore(db),
    factors: new SqlSecondFactorStore(db),
  };
  const drops: readonly (readonly [what: string, drop: (now: UnixMs) => Promise<unknown>])[] = [
    ['change numbers', (now) => pruneChanges(db, now - DAY_MS)],
    ['audit rows', (now) => pruneAudit(accounts, now)],
    ['exits of beacons', (now) => beacons.prune(now)],
    ['sign-in rows', (now) => purgeSignIn(signIn, now)],
    ['counts of own collection', (now) => collection.prune(now)],
    ['deleted text', () => emptyWriteLog(db)],
  ];
  const running = drops.map(([what, drop]) => {
    const name = `dropping old ${what}`;
    // Clears a fault that a dead thread may have left on the operator page.
    publishFault(by.publish, name, undefined);
    return repeat(by, name, HOUR_MS, () => drop(systemClock.now()), {
      firstMs: 0,
      meanwhile: 'they stay for another hour',
    });
  });
  return {
    async stop() {
      await Promise.all(running.map((one) => one.stop()));
      await db.destroy();
    },
  };
}

/**
 * Entry of the threads that answer requests, over shared images and counters. Each lookup thread has its own
 * server on the shared port. It answers lookups and passes everything else to the app thread, which listens
 * on a pipe and holds the framework and the stores.
 */

import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { openKeys } from '../../adapters/accounts/open-keys.ts';
import { AssistantListFiles } from '../../adapters/assistants/assistant-list-files.ts';
import { MemoryLedger } from '../../adapters/counters/memory/memory-ledger.ts';
import { openLedger, reportLedgerFault } from '../../adapters/counters/open-ledger.ts';
import { loadSecret } from '../../adapters/data-folder/deployment-secret.ts';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { loadProtection } from '../../adapters/layers/load-protection.ts';
import { MemoryLimiter } from '../../adapters/limits/memory/memory-limiter.ts';
import { openLimiter } from '../../adapters/limits/open-limiter.ts';
import { createLogger } from '../../adapters/system/create-logger.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { faultText } from '../../adapters/system/system-fault.ts';
import { RequestCounts } from '../../apps/http/answer/request-counts.ts';
import { ClientConnections } from '../../apps/http/connection/client-connections.ts';
import { createHttpServer, listeningFd } from '../../apps/http/connection/create-http-server.ts';
import {
  CLIENT_CONNECTIONS_MAX,
  CONNECTION_LIMITS,
  type ConnectionLimits,
} from '../../apps/http/connection/limit-connections.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { PrefixPeriods } from '../../core/ip/prefix-periods.ts';
import { PulseLookup } from '../../service/lookup/lookup-pulse.ts';
import { type News, storesAway, withNews } from '../../service/serving/data-state.ts';
import { reportThread } from './report-thread.ts';
import { ThreadData } from './thread-data.ts';
import { baseUrlOf, type FromThread, linksOf, type ThreadStart, type ToThread } from './thread-messages.ts';

/**
 * Limit per family of verified AI assistants (decisions 5.7): ten times the default of an anonymous client.
 * The daily limit is PULSE_AI_PER_DAY.
 */
const ASSISTANT_PER_MIN = 600;

/** A thread that ends by a fault has DYING_MS to answer its requests and ENDING_MS to close. */
const DYING_MS = 2000;
const ENDING_MS = 500;

const start = workerData as ThreadStart;
const port = parentPort!;
const { config } = start;
const isApp = start.serves === 'others';
const tell = (message: FromThread): void => port.postMessage(message);

const log = createLogger(config.logLevel);
const protection = loadProtection(start.publishedSources, new PrefixPeriods(start.knownGood));
const data = new ThreadData(start.data, protection, start.riskVersion, () => tellView());
const assistants = new AssistantListFiles(join(config.dataDir, 'network'));
if (start.data.assistants !== undefined) assistants.take(start.data.assistants);
const local = new MemoryLedger(start.ledger, {
  owner: start.owner,
  writer: `${start.run}${start.owner.toString(36)}`,
  log: { onTrouble: reportLedgerFault(log) },
});
const ledger = await openLedger(config, local, log, start.slot === 0);
const limits = await openLimiter(config, new MemoryLimiter(start.limits, start.owner));
// Lookup threads do not write; they send the uses to the app thread.
let rounds = start.rounds;
const keys = await openKeys(config, log, isApp ? undefined : (used) => tell({ type: 'used', used }), {
  round: () => rounds,
  loaded: (found, round) => tell({ type: 'key', found, round }),
});
const counts = new RequestCounts(
  start.counts,
  start.slot,
  config.logRequests
    ? ({ id, endpoint, status, code, ms }) => log.info({ request_id: id, endpoint, status, code, ms }, 'request')
    : undefined,
);
const report = reportThread(counts, { ledger, local, data }, log);
const history = isApp && config.history ? await openHistory(config, { forCallers: true }) : undefined;

let news: News = start.data;
/**
 * Everything besides lookups, on the app thread alone: its libraries make up most of a thread's memory and
 * start time.
 */
const app = isApp
  ? await (await import('../app/open-app-routes.ts')).openAppRoutes({
      start,
      keys,
      limiter: limits.limiter,
      history,
      view: () => data.view(),
      geo: () => data.geo(),
      asName: (asn) => data.asName(asn),
      news: () => news,
      log,
      tell,
    })
  : undefined;

/**
 * The connections of all lookup threads, and of one that replaces a dead thread. The lookup threads bound the
 * connections of clients.
 */
const OF_PIPE: ConnectionLimits = {
  silenceMs: 0,
  requestsMax: Number.POSITIVE_INFINITY,
  connectionsMax: (config.workers + 1) * start.files.relaysMax,
};
const trustedProxies = config.trustedProxies.map((entry) => parsePrefix(entry)!);
/**
 * Processes on this machine belong to the operator, and may be a proxy that is missing in the configuration.
 */
const LOOPBACK = ['127.0.0.0/8', '::1/128'].map((text) => parsePrefix(text)!);

/** The threads that count say whether they can. */
const away = (): readonly string[] => [
  ...storesAway(news.faults),
  ...(counts.greatest('redis_fault') > 0 ? ['Redis'] : []),
  ...(counts.greatest('ledger_refusing') > 0 ? ['ledger'] : []),
];

const http = createHttpServer({
  idPrefix: `${start.run}${start.owner.toString(36)}-`,
  ...(app === undefined
    ? {
        plugins: start.files,
        connections: clientConnections(),
      }
    : { plugins: app.plugins, connections: OF_PIPE, seal: start.pipe!.seal }),
  services: {
    clock: systemClock,
    log,
    ledger,
    limiter: limits.limiter,
    keys: keys.directory,
    assistants,
    sessions: app?.sessions,
    beacons: app?.beacons,
    pulse: new PulseLookup({ history, secret: loadSecret(config).subkey('pool-handle') }),
    view: () => data.view(),
    trustedProxies,
    mcpOrigins: config.mcpOrigins,
    proxyKey: config.decideKey,
    limits: {
      anonPerMin: config.anonPerMin,
      anonPerDay: config.anonPerDay,
      assistantPerMin: ASSISTANT_PER_MIN,
      assistantPerDay: config.aiPerDay,
    },
    links: linksOf({ ...config, port: start.port }),
    baseUrl: baseUrlOf({ ...config, port: start.port }),
    counts,
    storesAway: away,
  },
});

http.setApp(isApp ? undefined : start.pipe);
process.on('exit', () => void http.server.close());

const tellView = (): void => {
  const view = data.view();
  if (view === undefined) return;
  tell({ type: 'view', ...view.dataVersion });
};

function clientConnections(): ConnectionLimits {
  const open = new ClientConnections(start.connections, start.slot);
  const perClient = { max: CLIENT_CONNECTIONS_MAX, open, except: [...LOOPBACK, ...trustedProxies] };
  return { ...CONNECTION_LIMITS, connectionsMax: start.files.connectionsMax, perClient };
}

const mayListen = Promise.withResolvers<void>();
if (start.listeningFd === undefined) mayListen.resolve();

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'listen':
      return mayListen.resolve();
    case 'app':
      return http.setApp(message.pipe);
    case 'used':
      // A failed write is not repeated: the dates need not be exact, and the next use writes them again.
      return void keys
        .markUsed(message.used)
        .catch((error) => log.warn({ error }, 'dates of key use could not be written'));
    case 'network-lists':
      return assistants.reload();
    case 'assistants':
      return assistants.take(message.lists);
    case 'key':
      return keys.directory.learn(message.found);
    case 'records':
      rounds += 1;
      return void keys.changed(message.changes);
    case 'close':
      return void close(message.graceMs);
    default:
      news = withNews(news, message);
      data.apply(message);
  }
});

async function close(graceMs: number): Promise<void> {
  report.stop();
  await http.close(graceMs);
  await ledger.close().catch((error) => log.error({ error }, 'the ledger log is incomplete'));
  await app?.close();
  await history?.close();
  limits.close();
  await keys.close();
  port.close();
}

let dying = false;

/**
 * After an uncaught error the state of this thread is unknown, so another takes its place. The requests it
 * has begun have nothing to do with the fault and are answered. The port closes at once, so that the other
 * threads get new connections.
 */
function die(error: unknown): void {
  log.error(
    { error, thread: start.owner },
    dying ? 'another fault of a thread that is dying' : 'a fault that nothing caught ends this thread',
  );
  if (dying) return;
  dying = true;
  tell({ type: 'dying' });
  http.server.close();
  setTimeout(() => process.exit(1), DYING_MS + ENDING_MS);
  void http.close(DYING_MS).finally(() => process.exit(1));
}

try {
  await mayListen.promise;
  const address = isApp
    ? { path: start.pipe!.path }
    : start.listeningFd !== undefined
      ? { fd: start.listeningFd }
      : { host: config.host, port: start.port, reusePort: config.workers > 1 };
  const bound = await http.listen(address);
  tell({ type: 'listening', port: bound, fd: isApp ? undefined : listeningFd(http.server) });
  process.on('uncaughtException', die);
  tellView();
  if (!isApp) http.answer((await import('../../apps/mcp/plain-lane.ts')).plainLane);
} catch (error) {
  tell({ type: 'fault', message: faultText(error) });
  await close(0);
}

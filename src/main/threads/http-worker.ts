/** Entry of an HTTP thread: its own server on the shared port, its own read connections, the shared images and counters. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { AssistantListFiles } from '../../adapters/assistants/assistant-list-files.ts';
import { MemoryLedger } from '../../adapters/counters/memory/memory-ledger.ts';
import { MemoryLimiter } from '../../adapters/limits/memory/memory-limiter.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { createLogger } from '../../adapters/system/create-logger.ts';
import { ClientConnections } from '../../apps/http/client-connections.ts';
import { createHttpServer } from '../../apps/http/create-http-server.ts';
import { CLIENT_CONNECTIONS_MAX, CONNECTION_LIMITS } from '../../apps/http/limit-connections.ts';
import { RequestCounts } from '../../apps/http/request-counts.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { PulseLookup } from '../../service/lookup-pulse.ts';
import { openKeys } from '../accounts/open-keys.ts';
import { openLedger, reportTrouble } from '../accounts/open-ledger.ts';
import { openLimiter } from '../accounts/open-limiter.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import { HistoryOnDemand } from '../evidence/history-on-demand.ts';
import { baseUrlOf, linksOf } from '../links.ts';
import { loadProtection } from '../load-protection.ts';
import { withFault } from './data-state.ts';
import { loadAppRoutes } from './load-app-routes.ts';
import type { AppRoutes } from './open-app-routes.ts';
import { reportThread } from './report-thread.ts';
import { ThreadData } from './thread-data.ts';
import type { FromThread, ThreadStart, ToThread } from './thread-messages.ts';

/** Verified AI assistants, per family (decisions 5.7); the day is PULSE_AI_PER_DAY. The minute is ten times an anonymous client's default. */
const ASSISTANT_PER_MIN = 600;

/** A thread that ends by a fault has this long to answer what it has begun, and this long to close. */
const DYING_MS = 2000;
const ENDING_MS = 500;

const start = workerData as ThreadStart;
const port = parentPort!;
const { config } = start;
const tell = (message: FromThread): void => port.postMessage(message);

const log = createLogger(config.logLevel);
const data = new ThreadData(start.data, loadProtection(start.publishedSources), start.riskVersion, () => tellView());
const assistants = new AssistantListFiles(join(config.dataDir, 'network'));
if (start.data.assistants !== undefined) assistants.take(start.data.assistants);
const local = new MemoryLedger(start.ledger, {
  owner: start.owner,
  writer: `${start.run}${start.owner.toString(36)}`,
  log: { onTrouble: reportTrouble(log) },
});
const ledger = await openLedger(config, local, log);
const limits = await openLimiter(config, new MemoryLimiter(start.limits, start.owner));
const keys = await openKeys(config, log);
const counts = new RequestCounts(start.counts, start.slot);
const report = reportThread(counts, { ledger, local, data }, log);
const history = config.history ? new HistoryOnDemand(config, { forCallers: true }) : undefined;

/** Loaded once, behind the look-ups (see `createHttpServer`); what is sent for it meanwhile waits here. */
let appRoutes: Promise<AppRoutes> | undefined;
let phoneLibraries = start.data.phone;
let feedNotes = start.data.feedNotes;
let faults = start.data.faults;
const openOthers = (): Promise<AppRoutes> => {
  appRoutes ??= import('./open-app-routes.ts').then(async ({ openAppRoutes }) => {
    const { limiter } = limits;
    const opened = await openAppRoutes({
      start,
      keys,
      limiter,
      history: await history?.open(),
      view: () => data.view(),
      geo: () => data.geo(),
      feedNotes: () => feedNotes,
      faults: () => faults,
      log,
      tell,
    });
    if (phoneLibraries !== undefined) opened.takePhone(phoneLibraries);
    return opened;
  });
  return appRoutes;
};

const trustedProxies = config.trustedProxies.map((entry) => parsePrefix(entry)!);
/** Processes of this machine are the operator's, and may be a proxy that nothing was said of. */
const LOOPBACK = ['127.0.0.0/8', '::1/128'].map((text) => parsePrefix(text)!);

const http = createHttpServer({
  connections: {
    ...CONNECTION_LIMITS,
    connectionsMax: start.connectionsMax,
    perClient: { max: CLIENT_CONNECTIONS_MAX, open: new ClientConnections(start.connections, start.slot), except: [...LOOPBACK, ...trustedProxies] },
  },
  idPrefix: `${start.run}${start.owner.toString(36)}-`,
  plugins: async () => (await openOthers()).plugins,
  services: {
    clock: systemClock,
    log,
    ledger,
    limiter: limits.limiter,
    keys: keys.directory,
    assistants,
    sessions: {
      accountOf: async (cookie, at) => (await openOthers()).sessions.accountOf(cookie, at),
      require: async (request, at) => (await openOthers()).sessions.require(request, at),
      deviceOf: async (cookie, at) => (await openOthers()).sessions.deviceOf(cookie, at),
      accountOfToken: async (token, at) => (await openOthers()).sessions.accountOfToken(token, at),
    },
    beacons: { find: async (token) => (await openOthers()).beacons.find(token) },
    pulse: new PulseLookup({ history, secret: loadSecret(config).subkey('pool-handle') }),
    view: () => data.view(),
    trustedProxies,
    limits: { anonPerMin: config.anonPerMin, anonPerDay: config.anonPerDay, assistantPerMin: ASSISTANT_PER_MIN, assistantPerDay: config.aiPerDay },
    links: linksOf(config),
    baseUrl: baseUrlOf({ ...config, port: start.port }),
    counts,
  },
});

process.on('exit', () => void http.server.close());

const tellView = (): void => {
  const view = data.view();
  if (view === undefined) return;
  tell({ type: 'view', ...view.dataVersion });
};

/** A thread that cannot answer all its paths is useless: its death is logged, and another one started. */
function complete(): void {
  loadAppRoutes()
    .then(() => http.complete())
    .then(
      () => tell({ type: 'completed' }),
      (error) => {
        throw error;
      },
    );
}

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'complete':
      return complete();
    case 'network-lists':
      return assistants.reload();
    case 'assistants':
      return assistants.take(message.lists);
    case 'feed-notes':
      feedNotes = message.notes;
      return;
    case 'fault':
      faults = withFault(faults, message);
      return;
    case 'phone':
      phoneLibraries = message.libraries;
      return void appRoutes?.then((opened) => opened.takePhone(message.libraries));
    case 'records':
      return void keys.changed(message.changes);
    case 'close':
      return void close(message.graceMs);
    default:
      data.apply(message);
  }
});

async function close(graceMs: number): Promise<void> {
  report.stop();
  await http.close(graceMs);
  await ledger.close().catch((error) => log.error({ error }, 'the ledger log is incomplete'));
  await (await appRoutes)?.close();
  limits.close();
  await keys.close();
  port.close();
}

let dying = false;

/**
 * An error that nothing caught leaves this thread in an unknown state, so another one takes its place; but the requests it has begun have nothing to do with the
 * fault, and are answered. The port goes at once: the other threads get the connections that come meanwhile.
 */
function die(error: unknown): void {
  log.error({ error, thread: start.owner }, dying ? 'another fault of a thread that is dying' : 'a fault that nothing caught ends this thread');
  if (dying) return;
  dying = true;
  tell({ type: 'dying' });
  http.server.close();
  setTimeout(() => process.exit(1), DYING_MS + ENDING_MS);
  void http.close(DYING_MS).finally(() => process.exit(1));
}

try {
  tell({ type: 'listening', port: await http.listen({ host: config.host, port: start.port, reusePort: config.workers > 1 }) });
  process.on('uncaughtException', die);
  tellView();
  if (start.complete) complete();
} catch (error) {
  tell({ type: 'fault', message: error instanceof Error ? error.message : String(error) });
  await close(0);
}

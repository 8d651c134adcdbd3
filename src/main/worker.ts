/** Entry of an HTTP thread: its own server on the shared port, its own read connections, the shared images and counters. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { KyselyAccountStore } from '../adapters/accounts/kysely-account-store.ts';
import { AssistantListFiles } from '../adapters/assistants/assistant-directory.ts';
import { MemoryLedger } from '../adapters/counters/memory/memory-ledger.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createLogger } from '../adapters/system/logger.ts';
import { evidenceRoute } from '../apps/http/routes/evidence/evidence-route.ts';
import { phoneRoutes } from '../apps/http/routes/phone-lookup/phone-routes.ts';
import { createHttpServer } from '../apps/http/server.ts';
import { parsePrefix } from '../core/ip/prefix.ts';
import { PulseLookup } from '../service/lookup-pulse.ts';
import { DEMO_RISK_VERSION } from './demo.ts';
import { HistoryThread } from './history-thread.ts';
import { httpPlugins } from './http-plugins.ts';
import { baseUrlOf, linksOf } from './links.ts';
import { openKeys } from './open-accounts.ts';
import { openHistory } from './open-evidence.ts';
import { openLedger } from './open-ledger.ts';
import { openOAuth } from './open-oauth.ts';
import { openPhoneReader } from './open-phone.ts';
import { openSite } from './open-site.ts';
import { loadSecret } from './secret.ts';
import { ThreadData } from './thread-data.ts';
import type { FromThread, ThreadStart, ToThread } from './thread-messages.ts';

/** Verified AI assistants, per family (decisions 5.7). The day is decided; the minute is ten times an anonymous client's. */
const ASSISTANT_PER_DAY = 5000;
const ASSISTANT_PER_MIN = 600;

const start = workerData as ThreadStart;
const port = parentPort!;
const { config } = start;
const tell = (message: FromThread): void => port.postMessage(message);

const log = createLogger(config.logLevel);
const data = new ThreadData(start.data, start.demo ? DEMO_RISK_VERSION : undefined);
const assistants = new AssistantListFiles(join(config.dataDir, 'network'));
const local = new MemoryLedger(start.ledger, { owner: start.owner, writer: `${start.run}${start.owner.toString(36)}` });
const ledger = await openLedger(config, local, log);
const keys = await openKeys(config);
const phone = openPhoneReader(config, loadSecret(config));
if (start.data.phone !== undefined) phone?.use(start.data.phone);
const oauth = openOAuth({ config, baseUrl: baseUrlOf({ ...config, port: start.port }), keys, clock: systemClock, log });
const history = config.history ? openHistory(config) : undefined;
const intake = new HistoryThread(config);
const site = openSite({
  config,
  baseUrl: baseUrlOf({ ...config, port: start.port }),
  clock: systemClock,
  guard: oauth.guard,
  accounts: new KyselyAccountStore(keys.db),
  hasher: keys.hasher,
  phone,
  history,
  view: () => data.view(),
  refreshFeed: (id) => tell({ type: 'refresh-feed', id }),
});
const http = await createHttpServer({
  idPrefix: `${start.run}${start.owner.toString(36)}-`,
  plugins: [...httpPlugins(config), ...oauth.plugins, ...site, phoneRoutes(phone), evidenceRoute((source, body, at) => intake.import(source, body, at))],
  services: {
    clock: systemClock,
    log,
    ledger,
    keys: keys.directory,
    assistants,
    sessions: oauth.sessions,
    pulse: new PulseLookup({ history, secret: loadSecret(config).subkey('pool-handle') }),
    view: () => data.view(),
    trustedProxies: config.trustedProxies.map((entry) => parsePrefix(entry)!),
    limits: { anonPerMin: config.anonPerMin, anonPerDay: config.anonPerDay, assistantPerMin: ASSISTANT_PER_MIN, assistantPerDay: ASSISTANT_PER_DAY },
    links: linksOf(config),
  },
});

const tellView = (): void => {
  const view = data.view();
  if (view !== undefined) tell({ type: 'view', ...view.dataVersion });
};

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'geo':
      data.setGeo(message.image);
      // A new image is what changed network lists come out as; assistants are verified by the same lists.
      assistants.reload();
      return tellView();
    case 'evidence':
      data.setEvidence(message.image);
      return tellView();
    case 'delta':
      return data.apply(message.delta);
    case 'degraded':
      return data.setDegraded(message.degraded);
    case 'phone':
      return phone?.use(message.libraries);
    case 'close':
      return void close(message.graceMs);
  }
});

async function close(graceMs: number): Promise<void> {
  await http.close(graceMs);
  await ledger.close();
  oauth.close();
  await phone?.close();
  await intake.close();
  await keys.close();
  port.close();
}

try {
  tell({ type: 'listening', port: await http.listen({ host: config.host, port: start.port, reusePort: config.workers > 1 }) });
  tellView();
} catch (error) {
  tell({ type: 'fault', message: error instanceof Error ? error.message : String(error) });
  await close(0);
}

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { packAssistantLists } from '../adapters/assistants/assistant-lists.ts';
import {
  newSharedLedger,
  restoreCharges,
  type SharedLedger,
  tidyLedger,
} from '../adapters/counters/memory/shared-ledger.ts';
import { refuseUnusableRedis } from '../adapters/counters/open-ledger.ts';
import { secretText } from '../adapters/data-folder/deployment-secret.ts';
import { type DataFolder, openDataFolder } from '../adapters/data-folder/open-data-folder.ts';
import { openDemoFolder, refuseDemoFolder } from '../adapters/data-folder/open-demo-folder.ts';
import { prepareDatabase, prepareWhenThere } from '../adapters/database/prepare-database.ts';
import { publishedSources } from '../adapters/feeds/catalogue.ts';
import { loadKnownGood } from '../adapters/layers/known-good.ts';
import { createSharedLimits } from '../adapters/limits/memory/memory-limiter.ts';
import { openSnapshots, publishingIn } from '../adapters/snapshots/open-snapshots.ts';
import { PublishedData } from '../adapters/snapshots/published-data.ts';
import { createLogger, type Logger } from '../adapters/system/create-logger.ts';
import { systemClock, trimMemory } from '../adapters/system/own-process.ts';
import { terminalProgress } from '../adapters/system/terminal-progress.ts';
import type { Config } from '../config.ts';
import { quotaDayIn } from '../core/quota/quota.ts';
import { inLanguage, worded } from '../core/texts/said.ts';
import { DEMO_RISK_VERSION } from '../service/demo-risk-version.ts';
import type { DataMessage } from '../service/serving/data-state.ts';
import { repeat } from '../service/serving/repeat.ts';
import { SnapshotPublisher } from '../service/serving/snapshot-publisher.ts';
import { checkConfig } from './check-config.ts';
import type { BackgroundJob, ControlContext } from './jobs/background-job.ts';
import { backgroundJobs } from './jobs/background-jobs.ts';
import { LedgerLock, ledgerFolder } from './ledger-lock.ts';
import { Readiness } from './readiness.ts';
import { requireFreePort } from './require-free-port.ts';
import type { Predecessor, ServeOptions } from './serve-options.ts';
import { ControlThreads } from './threads/control-threads.ts';
import { HealthServer } from './threads/health-server.ts';
import { baseUrlOf } from './threads/thread-messages.ts';

/**
 * - `listeningFds`: sockets that a successor can take over.
 * - `stop`: lets requests finish and writes what is left. Resolves when everything is closed.
 */
export interface RunningServer {
  readonly port: number;
  readonly ready: Promise<void>;
  listeningFds(): readonly number[];
  stop(): Promise<void>;
}

type Front = ControlThreads | HealthServer;
type Running = Awaited<ReturnType<BackgroundJob['start']>>;

const GRACE_MS = 10_000;
const STOPPING_MS = 5000;
/** A service that stops has released its folders by then. */
const STOPPED_MS = GRACE_MS + STOPPING_MS;
const TIDY_EVERY_MS = 60_000;
/** Builds and imports leave much freed memory, which is returned at this interval. */
const TRIM_EVERY_MS = 10_000;
/**
 * Lookups come first: the app thread starts when they are answered, or after this time while data is still
 * being prepared, so that the site can show progress.
 */
const APP_AFTER_MS = 2000;

export async function serve(
  given: Config,
  options: ServeOptions = {},
  startedAt = performance.now(),
): Promise<RunningServer> {
  return new Service(await openStores(given, options), options, startedAt).start();
}

interface Stores {
  readonly config: Config;
  readonly log: Logger;
  /** Undefined on a node that answers nothing, so it counts nothing. */
  readonly ledger: OpenLedger | undefined;
  readonly records: { close(): Promise<void> };
}

interface OpenLedger {
  readonly shared: SharedLedger;
  readonly lock: LedgerLock;
}

async function openStores(given: Config, { demo = false, predecessor, role }: ServeOptions): Promise<Stores> {
  if (!demo) refuseDemoFolder(given);
  const opened = demo ? openDemoFolder(given) : given;
  const settings = predecessor ? { ...opened, workers: predecessor.listeningFds.length } : opened;
  const log = createLogger(settings.logLevel);
  if (predecessor === undefined) await requireFreePort(settings);
  // A node that answers nothing leaves the logs of another node in its data folder alone.
  const counts = role !== 'ingest';
  // A predecessor is still writing charges.
  const countsNow = counts && predecessor === undefined;
  if (counts) await refuseUnusableRedis(settings);
  const lock = new LedgerLock(settings, { stoppingMs: STOPPED_MS, hasPredecessor: predecessor !== undefined });
  if (countsNow) await lock.take();
  const folder = await openDataFolder(settings, countsNow, role === 'api');
  reportFolder(folder, log);
  for (const remark of checkConfig(settings)) log.warn({}, worded(remark));
  // Threads get the secret itself, so that later changes of its file do not reach them.
  const config = Object.freeze({ ...settings, secret: secretText(settings) });
  const ledger = counts ? { shared: openLedger(config), lock } : undefined;
  if (ledger !== undefined && countsNow) takeCharges(ledger);
  // The schema must exist before threads open their read connections.
  const records = await (role === 'api' ? prepareWhenThere(config, log) : prepareDatabase(config));
  await folder.settle();
  return { config, log, ledger, records };
}

const openLedger = (config: Config): SharedLedger =>
  newSharedLedger({
    dir: ledgerFolder(config),
    zone: config.quotaTz,
    sharing: config.redisUrl === undefined ? undefined : 'alone',
  });

const takeCharges = ({ shared, lock }: OpenLedger): void =>
  restoreCharges(shared, systemClock.now(), lock.isHeld ? 'alone' : 'others');

class Service {
  readonly #stores: Stores;
  readonly #options: ServeOptions;
  readonly #threads: ControlThreads | undefined;
  readonly #front: Front;
  readonly #others: SnapshotPublisher | undefined;
  readonly #published: PublishedData;
  readonly #ready: Readiness;
  readonly #context: ControlContext;
  readonly #jobs: Running[] = [];
  #tidying: Running | undefined;
  #metrics: Promise<{ stop(): Promise<void> }> | undefined;
  #isStopping = false;

  constructor(stores: Stores, options: ServeOptions, startedAt: number) {
    const { config, log, ledger } = stores;
    const { demo = false, language = 'en', role } = options;
    this.#stores = stores;
    this.#options = options;
    this.#threads = ledger && controlThreads(config, ledger.shared, demo, log);
    this.#front = this.#threads ?? new HealthServer(config);
    this.#others = this.#publisherForOthers();
    this.#published = new PublishedData(demo ? DEMO_RISK_VERSION : undefined);
    this.#ready = new Readiness({ config, startedAt, demo, language, role, log });
    this.#front.onView((seen) => this.#ready.seen(seen));
    const progress = terminalProgress(process.stderr, (text) => log.info({}, text));
    this.#context = {
      config,
      log,
      clock: systemClock,
      publish: (message) => this.#publish(message),
      geo: this.#published,
      requests: this.#threads,
      progress: (step) => progress(step === undefined ? '' : inLanguage(language, step)),
    };
  }

  async start(): Promise<RunningServer> {
    const { predecessor, demo = false } = this.#options;
    const listening = this.#front.start(this.#stores.config.workers, predecessor?.listeningFds).then((port) => {
      this.#ready.listening(port);
      return port;
    });
    if (predecessor === undefined) void this.#startRest();
    const jobs = this.#startJobs();
    const taken = predecessor && jobs.then(() => this.#takeOver(predecessor));
    const [port] = await Promise.all([listening, jobs, taken]).catch(async (error) => {
      await this.#stop(0);
      throw error;
    });
    if (this.#stores.ledger && this.#threads)
      this.#tidying = startTidying(this.#stores.ledger.shared, this.#threads, this.#context);
    this.#jobs.push(repeat(this.#context, 'freed memory', TRIM_EVERY_MS, trimMemory, { meanwhile: 'it is kept' }));
    if (this.#threads && !demo && process.stdout.isTTY) void this.#ready.promise.then(() => this.#sayNext(port));
    return {
      port,
      ready: this.#ready.promise,
      listeningFds: () => this.#threads?.listeningFds() ?? [],
      stop: () => this.#stop(GRACE_MS),
    };
  }

  #publisherForOthers(): SnapshotPublisher | undefined {
    const { config, log } = this.#stores;
    const { role } = this.#options;
    if (role !== 'ingest' && (role === 'api' || config.snapshotUrl === undefined)) return undefined;
    const pack = (): Uint8Array => packAssistantLists(join(config.dataDir, 'network'));
    const publish = (message: DataMessage): void => this.#front.publish(message);
    return new SnapshotPublisher(openSnapshots(config, publishingIn(config)), pack, { log, publish });
  }

  /** Data is loaded while the threads load their code; a thread starts with what was published before. */
  #publish(message: DataMessage): void {
    this.#front.publish(message);
    this.#published.publish(message);
    this.#others?.publish(message);
  }

  async #startRest(): Promise<void> {
    await Promise.race([this.#ready.promise, setTimeout(APP_AFTER_MS, undefined, { ref: false })]);
    await this.#startMetrics();
    if (!this.#isStopping) await this.#threads?.startApp();
  }

  async #startMetrics(): Promise<void> {
    if (this.#isStopping) return;
    const { config, log } = this.#stores;
    this.#metrics = import('./metrics/start-metrics.ts').then(({ startMetrics }) =>
      startMetrics({ config, log, clock: systemClock, threads: this.#threads, data: this.#published }),
    );
    await this.#metrics;
  }

  /** Starts the jobs one after another. Between two of them, messages of threads that became ready are handled. */
  async #startJobs(): Promise<void> {
    for (const load of backgroundJobs(this.#options)) {
      this.#jobs.push(await (await load()).start(this.#context));
      await setImmediate();
    }
  }

  async #takeOver(predecessor: Predecessor): Promise<void> {
    const { ledger } = this.#stores;
    const threads = this.#threads!;
    await threads.viewing();
    await threads.startApp();
    predecessor.ready();
    await ledger!.lock.take();
    takeCharges(ledger!);
    threads.listen();
    await this.#ready.promise;
    void this.#startMetrics();
  }

  async #sayNext(port: number): Promise<void> {
    const { config, log } = this.#stores;
    const { language = 'en' } = this.#options;
    try {
      const { nextSteps } = await import('./next-steps.ts');
      await nextSteps(config, { language, address: baseUrlOf({ ...config, port }), at: systemClock.now() });
    } catch (error) {
      log.warn({ error }, 'the accounts could not be read for the next steps');
    }
  }

  async #stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    await (await this.#metrics)?.stop();
    await this.#tidying?.stop();
    await this.#front.close(graceMs);
    // A successor waits for it, and callers for the successor.
    this.#stores.ledger?.lock.release();
    for (const job of this.#jobs.reverse()) await job.stop();
    await this.#others?.stop();
    await this.#stores.records.close();
  }
}

function controlThreads(config: Config, ledger: SharedLedger, demo: boolean, log: Logger): ControlThreads {
  const data = {
    config,
    ledger,
    limits: createSharedLimits(),
    run: randomBytes(4).readUInt32BE().toString(36).padStart(7, '0'),
    riskVersion: demo ? DEMO_RISK_VERSION : undefined,
    publishedSources: publishedSources(),
    knownGood: loadKnownGood().table,
  };
  return new ControlThreads(data, log);
}

function reportFolder({ torn }: DataFolder, log: Logger): void {
  for (const { file, readable, tornBytes } of torn)
    log.info(
      { file, readable, torn_bytes: tornBytes },
      'a crash left the end of a ledger log unfinished; the records before it are counted',
    );
}

function startTidying(ledger: SharedLedger, threads: ControlThreads, context: ControlContext): Running {
  const dayOf = quotaDayIn(ledger.zone);
  const tidy = (): void => {
    const live = new Set(threads.writers());
    const damaged = tidyLedger(
      ledger.dir,
      dayOf(systemClock.now()).number,
      (name, newest) => newest && live.has(name.split('-')[2] ?? ''),
    );
    for (const one of damaged)
      context.log.error(
        one,
        'a log of the ledger holds records that cannot be read; the others are counted, the file is kept as .damaged',
      );
  };
  return repeat(context, 'folding of ledger logs', TIDY_EVERY_MS, tidy, { firstMs: 0, meanwhile: 'the logs are kept' });
}

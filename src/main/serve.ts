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
import { demoNotice, openDemoFolder, refuseDemoFolder } from '../adapters/data-folder/open-demo-folder.ts';
import { prepareDatabase, prepareWhenThere } from '../adapters/database/prepare-database.ts';
import { publishedSources } from '../adapters/feeds/published-sources.ts';
import { loadKnownGood } from '../adapters/layers/known-good.ts';
import { createSharedLimits } from '../adapters/limits/memory/shared-limits.ts';
import { openSnapshots, publishingIn } from '../adapters/snapshots/open-snapshots.ts';
import { PublishedData } from '../adapters/snapshots/published-data.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createLogger, type Logger } from '../adapters/system/create-logger.ts';
import { type FolderLock, lockFolder } from '../adapters/system/folder-lock.ts';
import { CLEAR_LINE, terminalProgress } from '../adapters/system/terminal-progress.ts';
import { trimMemory } from '../adapters/system/trim-memory.ts';
import type { Config } from '../config.ts';
import { quotaDayIn } from '../core/quota/day.ts';
import { fault } from '../core/texts/fault.ts';
import { inLanguage } from '../core/texts/in-language.ts';
import { said, worded } from '../core/texts/said.ts';
import { NO_EVIDENCE_VERSION } from '../service/compile/evidence-version.ts';
import { DEMO_RISK_VERSION } from '../service/demo-risk-version.ts';
import { DEMO_COMMAND } from '../service/intake/record-demo.ts';
import type { DataMessage } from '../service/serving/data-state.ts';
import { repeat } from '../service/serving/repeat.ts';
import { SnapshotPublisher } from '../service/serving/snapshot-publisher.ts';
import { checkConfig } from './check-config.ts';
import type { BackgroundJob, ControlContext } from './jobs/background-job.ts';
import { backgroundJobs } from './jobs/background-jobs.ts';
import type { NextSteps } from './next-steps.ts';
import { requireFreePort } from './require-free-port.ts';
import type { Predecessor, ServeOptions } from './serve-options.ts';
import { ControlThreads } from './threads/control-threads.ts';
import { HealthServer } from './threads/health-server.ts';
import { baseUrlOf } from './threads/links.ts';

export interface RunningServer {
  readonly port: number;
  readonly ready: Promise<void>;
  /** Sockets that a successor can take over. */
  listeningFds(): readonly number[];
  /** Lets requests finish and writes what is left. Resolves when everything is closed. */
  stop(): Promise<void>;
}

type Front = ControlThreads | HealthServer;

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

/** Starts ledger, accounts and listening threads at once, then the background jobs that bring data. */
export async function serve(
  given: Config,
  options: ServeOptions = {},
  startedAt = performance.now(),
): Promise<RunningServer> {
  const { demo = false, language = 'en', predecessor } = options;
  if (!demo) refuseDemoFolder(given);
  const opened = demo ? openDemoFolder(given) : given;
  const settings = predecessor ? { ...opened, workers: predecessor.listeningFds.length } : opened;
  const log = createLogger(settings.logLevel);
  if (predecessor === undefined) await requireFreePort(settings);
  if (options.role !== 'ingest') await refuseUnusableRedis(settings);
  const run = randomBytes(4).readUInt32BE().toString(36).padStart(7, '0');
  // A node that answers nothing counts nothing. It leaves the logs of another node in its data folder alone.
  const counting = options.role !== 'ingest';
  const isShared = settings.redisUrl !== undefined;
  const openLock = (): Promise<FolderLock | undefined> =>
    isShared ? lockFolder(ledgerFolder(settings), predecessor ? STOPPED_MS : 0) : requireLedger(settings);
  let lock = counting && predecessor === undefined ? await openLock() : undefined;
  // A predecessor is still writing charges.
  const folder = await openDataFolder(settings, counting && predecessor === undefined, options.role === 'api');
  reportFolder(folder, log);
  for (const remark of checkConfig(settings)) log.warn({}, worded(remark));
  // Threads get the secret itself, so that later changes of its file do not reach them.
  const config = Object.freeze({ ...settings, secret: secretText(settings) });
  const ledger = counting
    ? newSharedLedger({ dir: ledgerFolder(config), zone: config.quotaTz, sharing: isShared ? 'alone' : undefined })
    : undefined;
  const takeCharges = (): void => {
    if (ledger !== undefined) restoreCharges(ledger, systemClock.now(), lock === undefined ? 'others' : 'alone');
  };
  if (predecessor === undefined) takeCharges();
  // The schema must exist before threads open their read connections.
  const records = await (options.role === 'api' ? prepareWhenThere(config, log) : prepareDatabase(config));
  await folder.settle();
  const threads =
    ledger &&
    new ControlThreads(
      {
        config,
        ledger,
        limits: createSharedLimits(),
        run,
        riskVersion: demo ? DEMO_RISK_VERSION : undefined,
        publishedSources: publishedSources(),
        knownGood: loadKnownGood().table,
      },
      log,
    );
  const front = threads ?? new HealthServer(config);
  const forOthers = options.role === 'ingest' || (options.role !== 'api' && config.snapshotUrl !== undefined);
  const tell = (message: DataMessage): void => front.publish(message);
  const pack = (): Uint8Array => packAssistantLists(join(config.dataDir, 'network'));
  const others = forOthers
    ? new SnapshotPublisher(openSnapshots(config, publishingIn(config)), pack, { log, publish: tell })
    : undefined;
  const ready = readiness(config, front, startedAt, options);
  const published = new PublishedData(demo ? DEMO_RISK_VERSION : undefined);
  // Data is loaded while the threads load their code; a thread starts with what was published before.
  const publish = (message: DataMessage): void => {
    front.publish(message);
    published.publish(message);
    others?.publish(message);
  };
  const progress = terminalProgress();
  const context: ControlContext = {
    config,
    log,
    clock: systemClock,
    publish,
    geo: published,
    requests: threads,
    progress: (step) => progress(step === undefined ? '' : inLanguage(language, step)),
  };
  const running: Running[] = [];
  let tidying: Running | undefined;
  let metrics: Promise<{ stop(): Promise<void> }> | undefined;
  let stopping = false;
  const stopAll = async (graceMs: number): Promise<void> => {
    stopping = true;
    await (await metrics)?.stop();
    await tidying?.stop();
    await front.close(graceMs);
    // A successor waits for it, and callers for the successor.
    lock?.release();
    for (const job of running.reverse()) await job.stop();
    await others?.stop();
    await records.close();
  };
  const startMetricsNow = async (): Promise<void> => {
    if (stopping) return;
    metrics = import('./metrics/start-metrics.ts').then(({ startMetrics }) =>
      startMetrics({ config, log, clock: systemClock, threads, data: published }),
    );
    await metrics;
  };
  const listening = front.start(config.workers, predecessor?.listeningFds).then((port) => {
    ready.listening(port);
    return port;
  });
  const startRest = async (): Promise<void> => {
    await Promise.race([ready.promise, setTimeout(APP_AFTER_MS, undefined, { ref: false })]);
    await startMetricsNow();
    if (!stopping) await threads?.startApp();
  };
  const takeOver = async (from: Predecessor, by: ControlThreads): Promise<void> => {
    await by.viewing();
    await by.startApp();
    from.ready();
    lock = await openLock();
    takeCharges();
    by.listen();
    await ready.promise;
    void startMetricsNow();
  };
  if (predecessor === undefined) void startRest();
  const jobs = startJobs(context, options, running);
  const taken = predecessor && jobs.then(() => takeOver(predecessor, threads!));
  const started = await Promise.all([listening, jobs, taken]).catch(async (error) => {
    await stopAll(0);
    throw error;
  });
  if (ledger && threads) tidying = startTidying(ledger, threads, context);
  running.push(repeat(context, 'freed memory', TRIM_EVERY_MS, trimMemory, { meanwhile: 'it is kept' }));
  if (counting && !demo && process.stdout.isTTY)
    void ready.promise.then(() => sayNext(config, started[0], { language, log }));
  return {
    port: started[0],
    ready: ready.promise,
    listeningFds: () => threads?.listeningFds() ?? [],
    async stop() {
      await stopAll(GRACE_MS);
    },
  };
}

function reportFolder({ torn }: DataFolder, log: Logger): void {
  for (const { file, readable, tornBytes } of torn)
    log.info(
      { file, readable, torn_bytes: tornBytes },
      'a crash left the end of a ledger log unfinished; the records before it are counted',
    );
}

async function sayNext(
  config: Config,
  port: number,
  { language, log }: Pick<NextSteps, 'language'> & { readonly log: Logger },
): Promise<void> {
  try {
    const { nextSteps } = await import('./next-steps.ts');
    await nextSteps(config, { language, address: baseUrlOf({ ...config, port }), at: systemClock.now() });
  } catch (error) {
    log.warn({ error }, 'the accounts could not be read for the next steps');
  }
}

type Running = Awaited<ReturnType<BackgroundJob['start']>>;

/**
 * Starts the jobs one after another. Between two of them, messages of threads that became ready are handled.
 */
async function startJobs(context: ControlContext, options: ServeOptions, running: Running[]): Promise<void> {
  for (const load of backgroundJobs(options)) {
    running.push(await (await load()).start(context));
    await setImmediate();
  }
}

/**
 * Locks the ledger folder, and waits for a service that is stopping. Two services that count in one folder
 * would each grant the whole allowance, and fold logs that the other still writes. Over Redis they count
 * together, and the logs hold only counts from its outages.
 */
async function requireLedger({ dataDir }: Config): Promise<FolderLock> {
  const lock = await lockFolder(ledgerFolder({ dataDir }), STOPPED_MS);
  if (lock === undefined)
    throw fault('another pulse answers requests from {dataDir}; give each a folder of its own with PULSE_DATA_DIR', {
      dataDir,
    });
  return lock;
}

const ledgerFolder = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'ledger');

interface Readiness {
  readonly promise: Promise<void>;
  listening(port: number): void;
}

function readiness(
  config: Config,
  front: Front,
  startedAt: number,
  { demo, language = 'en' }: ServeOptions,
): Readiness {
  let announce: () => void = () => {};
  let port: number | undefined;
  let versions: { readonly risk: string; readonly geo: string } | undefined;
  const promise = new Promise<void>((resolve) => {
    announce = () => {
      if (port === undefined || versions === undefined) return;
      announce = () => {};
      const address = baseUrlOf({ ...config, port });
      if (process.stdout.isTTY) process.stdout.write(CLEAR_LINE);
      process.stdout.write(
        `${inLanguage(language, said('pulse: ready on {address} · geo {geo} · risk {risk} · {ms} ms', { address, ...versions, ms: Math.round(performance.now() - startedAt) }))}\n`,
      );
      if (demo) process.stdout.write(`${demoNotice(address, language)}\n`);
      else if (versions.risk === NO_EVIDENCE_VERSION)
        process.stdout.write(
          `${inLanguage(language, said('pulse: no evidence is here yet, so every address is answered as never seen. Where no source can be read, try invented evidence: {command}', { command: DEMO_COMMAND }))}\n`,
        );
      resolve();
    };
  });
  front.onView((seen) => {
    versions = seen;
    announce();
  });
  return {
    promise,
    listening(bound) {
      port = bound;
      announce();
    },
  };
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

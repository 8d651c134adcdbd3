import { setTimeout as sleep } from 'node:timers/promises';
import { type SharedGeo, sharedGeo } from '../../adapters/evidence/geo-facts.ts';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { type OwnConfig, ownAddresses } from '../../adapters/layers/load-intake-refusals.ts';
import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import type { Config } from '../../config.ts';
import type { SourcesReport } from '../../service/ports.ts';
import { publishFault } from '../../service/serving/repeat.ts';
import type { BackgroundJob, ControlContext } from './background-job.ts';

/** The thread must not get the deployment's secret. */
export type IngestTarget = Pick<Config, 'dataDir' | 'databaseUrl' | 'feeds' | 'logLevel'> & {
  readonly own: readonly string[];
};

/**
 * - `run` lasts until it is aborted. It first records a failure of the feeds that were being read when an
 *   earlier thread died, so that they are not read again at once.
 * - `refresh` reads one feed now.
 * - `use` sets the network data for judging later runs.
 */
export type IngestCall =
  | { readonly do: 'run'; readonly died: readonly string[]; readonly geo: SharedGeo | undefined }
  | { readonly do: 'refresh'; readonly id: string }
  | { readonly do: 'use'; readonly geo: SharedGeo };

/**
 * One of three reports: whether verdicts are degraded and which sources they lack, at every change and once a
 * minute; the ids of the feeds being read; or why no feed can be checked.
 */
export type IngestReport =
  | { readonly degraded: boolean; readonly leftOut: SourcesReport }
  | { readonly underWay: readonly string[] }
  | { readonly reason: string | undefined };

/** After this time every thread has an accepted capture, or the evidence job has reported that it is late. */
const SEEN_MS = 3000;
const RESTART_MS = 5000;

export const ingestJob: BackgroundJob = {
  name: 'feeds',
  async start(context) {
    if (context.config.feeds === 'off') {
      context.log.info({}, 'feeds come from nowhere (off)');
      const store = await openHistory(context.config);
      await store.noteLeftOut(undefined, context.clock.now());
      await store.close();
      return { stop() {} };
    }
    let ingest: IngestThread | undefined;
    const begun = (): IngestThread => {
      ingest ??= new IngestThread(context);
      return ingest;
    };
    // Feeds wait for the first image of place and network, since building it needs both processors and the
    // memory.
    context.geo.follow((image) => begun().use(sharedGeo(image)));
    context.requests?.onRefreshFeed((id) => begun().refresh(id));
    if (context.requests === undefined) begun();
    return { stop: () => ingest?.stop() };
  },
};

type IngestContext = Pick<ControlContext, 'log' | 'publish'> & {
  readonly config: Omit<IngestTarget, 'own'> & OwnConfig;
};

export class IngestThread {
  readonly #context: IngestContext;
  readonly #restartMs: number;
  readonly #calls: WorkerCalls<IngestCall, void, IngestReport>;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #underWay: readonly string[] = [];
  #seen: NodeJS.Timeout | undefined;
  #geo: SharedGeo | undefined;

  constructor(context: IngestContext, restartMs = RESTART_MS) {
    this.#context = context;
    this.#restartMs = restartMs;
    const { dataDir, databaseUrl, feeds, logLevel } = context.config;
    const target: IngestTarget = { dataDir, databaseUrl, feeds, logLevel, own: ownAddresses(context.config) };
    this.#calls = new WorkerCalls(new URL('./ingest-worker.ts', import.meta.url), {
      workerData: target,
      ended: 'the thread that reads feeds ended',
    });
    this.#ended = this.#run();
  }

  refresh(id: string): void {
    this.#calls
      .call({ do: 'refresh', id })
      .catch((error: unknown) => this.#context.log.warn({ err: error, feed: id }, 'the feed could not be read now'));
  }

  use(geo: SharedGeo): void {
    this.#geo = geo;
    // A thread that starts later receives it with `run`.
    if (this.#calls.running && !this.#stop.signal.aborted) this.#calls.call({ do: 'use', geo }).catch(() => undefined);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#seen);
    this.#stop.abort();
    await this.#ended;
    await this.#calls.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#calls.call(
          { do: 'run', died: this.#underWay, geo: this.#geo },
          { signal, onProgress: (report) => this.#take(report) },
        );
      } catch (error) {
        if (signal.aborted) return;
        this.#context.log.error(
          { err: error, feeds: this.#underWay },
          'the thread that reads feeds died; it is restarted',
        );
        this.#publish(true);
        await sleep(this.#restartMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  #take(report: IngestReport): void {
    if ('underWay' in report) this.#underWay = report.underWay;
    else if ('reason' in report) publishFault(this.#context.publish, 'feeds', report.reason, true);
    else {
      this.#publish(report.degraded);
      this.#context.publish({ type: 'sources', leftOut: { ...report.leftOut, silent: false } });
    }
  }

  /** A source counts as missing until its captures are visible, not only until it was read. */
  #publish(degraded: boolean): void {
    const { publish } = this.#context;
    if (degraded) {
      clearTimeout(this.#seen);
      this.#seen = undefined;
      publish({ type: 'degraded', by: 'feeds', degraded: true });
    } else if (!this.#stop.signal.aborted)
      this.#seen ??= setTimeout(() => publish({ type: 'degraded', by: 'feeds', degraded: false }), SEEN_MS);
  }
}

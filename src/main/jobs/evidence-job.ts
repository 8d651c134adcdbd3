import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type EvidenceWorkResult, ImageThread, makeEvidence } from '../../adapters/evidence/image-thread.ts';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { checkImage } from '../../adapters/snapshots/check-image.ts';
import { noEvidence, readImageFile } from '../../adapters/snapshots/image-folder.ts';
import { faultText } from '../../adapters/system/system-fault.ts';
import { type EvidencePosition, NO_POSITION, positionOf } from '../../engine/evidence/evidence-delta.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { divergenceText, EvidenceFollower, LOCAL_POLL_MS, POLL_MS } from '../../service/compile/evidence-follower.ts';
import type { RepeatedWork } from '../../service/every.ts';
import { isDegraded, NO_SOURCES } from '../../service/ports.ts';
import { repeat } from '../../service/serving/repeat.ts';
import type { BackgroundJob, ControlContext } from './background-job.ts';

export const evidenceJob: BackgroundJob = {
  name: 'evidence',
  async start(context) {
    const { config, log, clock, publish } = context;
    let looks: RepeatedWork | undefined;
    const store = await openHistory(config, { forCallers: true, onLost: () => void looks?.now() });
    // The job that reads feeds starts after the first lookups are answered. Until it reports, the last note
    // is used; a node without a note is degraded.
    const leftOut =
      config.feeds === 'off' ? undefined : ((await store.leftOutAt(clock.now())) ?? { ...NO_SOURCES, silent: true });
    publish({ type: 'sources', leftOut });
    if (isDegraded(leftOut)) publish({ type: 'degraded', by: 'feeds', degraded: true });
    const images = new EvidenceImages(context);
    const known = await images.publishLast();
    let reported: string | undefined;
    const follower = new EvidenceFollower(
      {
        store,
        emit: (delta) => publish({ type: 'delta', delta }),
        compile: (restart) => images.compile(restart),
        merge: async () => {
          const position = await images.merge();
          // Polls at once, so that batches accepted during the merge wait no longer than necessary.
          void looks?.now();
          return position;
        },
        failed: (error) => {
          const reason = faultText(error);
          // An unavailable store fails at every poll, but is reported once.
          if (reason !== reported)
            log.error({ err: error }, 'evidence cannot be followed; the last view keeps serving');
          reported = reason;
        },
        diverged: (view, head) =>
          log.error(
            { view, store: head },
            `${divergenceText(view, head)}; verdicts are degraded until everything is compiled from the store`,
          ),
      },
      known,
    );
    const look = async (): Promise<void> => {
      await follower.poll(clock.now());
      if (!follower.behind) reported = undefined;
      publish({ type: 'degraded', by: 'evidence', degraded: follower.isLate(clock.now()) });
    };
    await follower.poll(clock.now());
    if (known === NO_POSITION && follower.behind) {
      // Without an image there is too much for the overlay. The service stays not_ready until the first
      // build, rather than report everything as unseen.
      await follower.settled();
      await follower.poll(clock.now());
    } else if (follower.behind) {
      // Waits for a merge, which takes a second; without it, later batches than the image would be reported
      // as unseen. Compiling everything would take too long.
      await follower.merged();
      await follower.poll(clock.now());
    }
    publish({ type: 'degraded', by: 'evidence', degraded: follower.isLate(clock.now()) });
    const everyMs = config.databaseUrl === undefined ? LOCAL_POLL_MS : POLL_MS;
    looks = repeat(context, 'evidence', everyMs, look, { meanwhile: 'the last view keeps serving', degrades: true });
    return {
      async stop() {
        await looks?.stop();
        await follower.settled();
        await images.close();
        await store.close();
      },
    };
  },
};

/** Images that were built before the start have no `dropped`. */
type ServedEvidence = Omit<EvidenceWorkResult, 'dropped'> & Partial<Pick<EvidenceWorkResult, 'dropped'>>;

class EvidenceImages {
  readonly #context: ControlContext;
  readonly #path: string;
  readonly #merger: ImageThread;
  #served: ServedEvidence | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(context: ControlContext) {
    this.#context = context;
    this.#path = join(context.config.dataDir, 'images', 'evidence.img');
    this.#merger = new ImageThread({ target: context.config, path: this.#path });
  }

  /** Publishes the image of the last run if it is sound. @returns its position, or NOWHERE without one */
  async publishLast(): Promise<EvidencePosition> {
    const { log } = this.#context;
    if (!existsSync(this.#path)) return NO_POSITION;
    try {
      const image = await readImageFile(this.#path, 'evidence');
      await checkImage(image, 'evidence', 'everything');
      const { meta } = openEvidence(image);
      this.#publish({ image, meta }, true);
      return positionOf(meta);
    } catch (error) {
      log.warn({ err: error }, 'the last evidence image cannot be used; it is compiled again');
      return NO_POSITION;
    }
  }

  /**
   * Compiles the whole store. If the threads received a newer image meanwhile, the result is not served,
   * unless `restart`.
   */
  async compile(restart: boolean): Promise<EvidencePosition> {
    const work = makeEvidence({ target: this.#context.config, path: this.#path });
    this.#noteWriting(work.written);
    const made = await work.made;
    if (restart || made.meta.sequence >= (this.#served?.meta.sequence ?? 0)) this.#publish(made, restart);
    this.#context.log.info({ bytes: made.image.byteLength, version: made.meta.dataVersion }, 'compiled evidence');
    return positionOf(made.meta);
  }

  async merge(): Promise<EvidencePosition | undefined> {
    const startedAt = performance.now();
    const made = await this.#merger.merge(this.#served?.image ?? noEvidence());
    if (made === undefined) return undefined;
    this.#noteWriting(this.#merger.keep());
    this.#publish(made, false);
    this.#context.log.info(
      { bytes: made.image.byteLength, version: made.meta.dataVersion, ms: Math.round(performance.now() - startedAt) },
      'merged what changed into the evidence image',
    );
    return positionOf(made.meta);
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#merger.close();
  }

  #noteWriting(writing: Promise<unknown>): void {
    this.#writing = Promise.all([this.#writing, writing]).then(
      () => {},
      (error) => this.#context.log.error({ err: error }, 'the evidence image could not be kept for the next start'),
    );
  }

  #publish(made: ServedEvidence, restart: boolean): void {
    this.#served = made;
    const { image, meta, dropped } = made;
    if (dropped !== undefined && dropped.rows + dropped.pools > 0)
      this.#context.log.warn(
        { rows: dropped.rows, without_pool: dropped.pools },
        'the evidence image has no room for everything the store holds',
      );
    this.#context.publish({
      type: 'evidence',
      image,
      included: meta.sequence,
      restart,
      ...(dropped === undefined ? {} : { dropped }),
    });
  }
}

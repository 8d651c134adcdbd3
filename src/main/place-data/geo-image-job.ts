import { checkImage } from '../../adapters/snapshots/check-image.ts';
import { shareImageFile } from '../../adapters/snapshots/published-images.ts';
import type { CurrentFiles } from '../../adapters/system/current-files.ts';
import { folderStamp } from '../../adapters/system/files.ts';
import { type Said, said, worded } from '../../core/texts/said.ts';
import type { RepeatedWork } from '../../service/every.ts';
import { repeat } from '../../service/serving/repeat.ts';
import type { BackgroundJob, ControlContext } from '../jobs/background-job.ts';
import {
  type CurrentGeoImage,
  geoImagePath,
  geoImages,
  inputFolders,
  LAST_STEP,
  pinnedImage,
} from './current-geo-image.ts';
import { DataThread } from './data-thread.ts';

const LOOK_MS = 1000;
/**
 * Time without a change before the next image is built. Lists of a mirror, or of a first start, arrive one by
 * one, and on a busy machine seconds apart; one build takes them all.
 */
const QUIET_MS = 5000;
/**
 * Memory that a build of the shipped layers takes, one family after the other, in addition to the service's
 * memory.
 */
const BUILD_MB = 500;

/**
 * Serves the image of place and network: first the last one, then a new one whenever layers, network lists or
 * the image itself changed, whatever changed them (feeds, `pulse data build`, an operator's copy). The build
 * runs in a worker; requests use the old image until the new one is complete.
 */
export const geoImageJob: BackgroundJob = {
  name: 'place and network',
  async start(context) {
    const pinned = pinnedImage(context.config.dataDir);
    if (pinned !== undefined) {
      context.publish({ type: 'geo', image: shareImageFile(pinned) });
      return { stop() {} };
    }
    const images = new GeoImages(context);
    await images.publishCurrent();
    // If an image is being served, its check can wait for the first look: the processors are busy during the
    // start.
    if (!images.serving) await images.looks.now();
    return images;
  },
};

class GeoImages {
  readonly #context: ControlContext;
  readonly #images: CurrentFiles<CurrentGeoImage>;
  #served: string | undefined;
  #refused: string | undefined;
  /** State of the folders at the last look, and when it was first seen, in the time of `performance.now`. */
  #seen = { stamp: '', since: 0 };
  #built: string | undefined;
  #isBuilding = false;
  #isWriting = false;
  #building: Promise<void> | undefined;
  #stopped = false;
  readonly looks: RepeatedWork;
  readonly #builder = new DataThread((step) => this.#noteStep(step));

  constructor(context: ControlContext) {
    this.#context = context;
    this.#images = geoImages(context.config.dataDir);
    this.looks = repeat(context, 'place and network', LOOK_MS, () => this.#look(), {
      meanwhile: 'the image in use stays',
      degrades: true,
    });
  }

  get serving(): boolean {
    return this.#served !== undefined;
  }

  async publishCurrent(): Promise<void> {
    const { current } = await this.#images.read();
    if (current !== undefined && current.file === this.#refused) return;
    this.#refused = undefined;
    if (current === undefined || this.#isServed(current)) return;
    const refused = ({ file }: CurrentGeoImage, error: Error): void => {
      this.#context.log.error(
        { err: error, file },
        'an image cannot be used and is built again; the one before keeps serving',
      );
      if (file === current.file) this.#refused = file;
    };
    const found = await this.#images.firstUsable((named) => this.#load(named), refused);
    if (found?.loaded !== undefined && !this.#stopped) this.#publish(found.loaded);
  }

  async #load(named: CurrentGeoImage): Promise<string | undefined> {
    if (this.#isServed(named)) return undefined;
    const path = this.#pathOf(named);
    await checkImage({ path }, 'geo', 'checksums');
    return path;
  }

  #pathOf(named: CurrentGeoImage): string {
    return geoImagePath(this.#context.config.dataDir, named);
  }

  #isServed(named: CurrentGeoImage): boolean {
    return this.#pathOf(named) === this.#served;
  }

  #publish(path: string): void {
    this.#context.publish({ type: 'geo', image: shareImageFile(path) });
    this.#served = path;
  }

  /**
   * Publishes an image that another process built. Starts a build when the folders changed and then stayed
   * the same for a while; at the start it does not wait.
   */
  async #look(): Promise<void> {
    if (this.#isBuilding) return;
    await this.publishCurrent();
    if (this.#stopped) return;
    const { text: now, fault } = folderStamp(inputFolders(this.#context.config.dataDir));
    // A first image is made of the readable files, but an image in use is not replaced by a smaller one.
    if (fault !== undefined && this.serving) throw fault;
    if (now !== this.#seen.stamp) this.#seen = { stamp: now, since: performance.now() };
    const settled = this.#built === undefined || performance.now() - this.#seen.since >= QUIET_MS;
    if (!settled || now === this.#built) return;
    this.#built = now;
    this.#build();
  }

  /** Waits until a finished image is written; otherwise the next start would build it again. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.looks.stop();
    if (this.#isWriting) await this.#building;
    await this.#builder.end();
  }

  #build(): void {
    const { config, log, progress } = this.#context;
    const first = this.#served === undefined;
    const startedAt = performance.now();
    if (first) log.info({}, 'preparing place and network data; lookups answer not_ready until it is done');
    const freeMb = Math.round(process.availableMemory() / 2 ** 20);
    // The system kills a process that exceeds its memory without a message, so the warning comes first.
    if (freeMb < BUILD_MB)
      log.warn(
        { free_mb: freeMb },
        `the build of place and network data takes about ${BUILD_MB} MB of memory, and ${freeMb} MB are free: give the service 1 GB, or make the image by \`pulse data build\` on another machine and put it here as images/geo.img`,
      );
    const force = this.#refused !== undefined;
    this.#isBuilding = true;
    this.#building = this.#builder
      .prepare(config.dataDir, force)
      .then(({ faults, leftOut, rebuilt, dataVersion, path }) => {
        if (rebuilt && !this.#stopped) this.#publish(path);
        for (const fault of faults) log.warn({ fault: worded(fault) }, 'a layer or list was left out');
        for (const part of leftOut) log.warn({ part: worded(part) }, 'a part of a layer was left out');
        if (rebuilt)
          log.info(
            { version: dataVersion, ms: Math.round(performance.now() - startedAt) },
            'built place and network image',
          );
      })
      .catch(
        (error: unknown) =>
          this.#stopped ||
          log.error({ err: error }, 'place and network data could not be prepared; what was there keeps serving'),
      )
      .finally(() => this.#builder.end())
      .then(() => {
        this.#isBuilding = false;
        this.#isWriting = false;
        progress(undefined);
        return this.#stopped ? undefined : this.looks.now();
      });
  }

  #noteStep(step: Said): void {
    this.#context.progress(said('preparing place and network data: {step}', { step }));
    if (step.text === LAST_STEP) this.#isWriting = true;
  }
}

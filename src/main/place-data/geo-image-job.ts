import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import { Image, verifyChecksums } from '../../engine/image.ts';
import type { BackgroundJob, ControlContext } from '../background-job.ts';
import { currentGeoImage } from './current-geo-image.ts';
import type { PreparedImage } from './prepare-geo-image.ts';
import type { GeoBuild, GeoBuildProgress } from './prepare-geo-worker.ts';

/** Layers and lists are looked at this often; a look is a handful of stat calls. */
const LOOK_MS = 1000;

/**
 * Serves the image of place and network: the last one at once, then a new one whenever layers, network lists or the image itself changed, regardless of what changed
 * them (feeds, `pulse data build`, an operator's copy). The build runs in a worker; requests stay on the old image until the new one is whole.
 */
export const geoImageJob: BackgroundJob = {
  name: 'place and network',
  async start(context) {
    const pinned = pinnedImage(context.config.dataDir);
    if (pinned !== undefined) {
      context.publish({ type: 'geo', image: readShared(pinned) });
      return { stop() {} };
    }
    const images = new GeoImages(context);
    images.publishCurrent();
    // With an image to serve, whether it is still the right one can wait for the first tick: the processors are busy starting.
    if (!images.serving) images.look();
    const timer = setInterval(() => images.look(), LOOK_MS);
    return {
      async stop() {
        clearInterval(timer);
        await images.stop();
      },
    };
  },
};

/** An image under this name is served as it is and nothing is built: for machines that get finished images, and for tests. */
export function pinnedImage(dataDir: string): string | undefined {
  const path = join(dataDir, 'images', 'geo.img');
  return existsSync(path) ? path : undefined;
}

class GeoImages {
  readonly #context: ControlContext;
  #served: string | undefined;
  /** An image that was found damaged. */
  #refused: string | undefined;
  /** What the folders looked like at the last look, and when the last build began. */
  #seen = '';
  #built: string | undefined;
  #building = false;
  #stopped = false;
  readonly #builder = new WorkerCalls<GeoBuild, PreparedImage, GeoBuildProgress>(new URL('./prepare-geo-worker.ts', import.meta.url), {
    ended: 'the thread that prepares place and network data ended',
  });

  constructor(context: ControlContext) {
    this.#context = context;
  }

  get serving(): boolean {
    return this.#served !== undefined;
  }

  publishCurrent(): void {
    const path = currentGeoImage(this.#context.config.dataDir);
    if (path === undefined || path === this.#served || path === this.#refused) return;
    try {
      const shared = readShared(path);
      const damaged = verifyChecksums(new Image(shared, 'geo'));
      if (damaged.length > 0) throw new Error(damaged.join('; '));
      this.#publish(path, shared);
    } catch (error) {
      this.#refused = path;
      this.#context.log.error({ err: error, path }, 'an image cannot be used and is built again; the one before keeps serving');
    }
  }

  #publish(path: string, image: SharedArrayBuffer): void {
    this.#context.publish({ type: 'geo', image });
    this.#served = path;
  }

  /** Publishes an image that another process built; starts a build when folders changed and have stayed the same for two looks (at the start at once). */
  look(): void {
    if (this.#building) return;
    this.publishCurrent();
    const now = stampOf(this.#context.config.dataDir);
    const settled = this.#built === undefined || now === this.#seen;
    this.#seen = now;
    if (!settled || now === this.#built) return;
    this.#built = now;
    this.#build();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#builder.close();
  }

  #build(): void {
    const { config, log, progress } = this.#context;
    const first = this.#served === undefined;
    const startedAt = performance.now();
    if (first) log.info({}, 'preparing place and network data; look-ups answer not_ready until it is done');
    const force = this.#refused !== undefined && this.#refused === currentGeoImage(config.dataDir);
    const onProgress = ({ step, built }: GeoBuildProgress): void => {
      if (step !== undefined) progress(`preparing place and network data: ${step}`);
      // Served from the memory it was checked in. If its file never reaches the disk, the next start builds it again.
      if (built !== undefined) this.#publish(built.path, built.image);
    };
    this.#building = true;
    this.#builder
      .call({ dataDir: config.dataDir, force }, { onProgress })
      .then(({ faults, rebuilt, dataVersion }) => {
        for (const fault of faults) log.warn({ fault }, 'a layer or list was left out');
        if (rebuilt) log.info({ version: dataVersion, ms: Math.round(performance.now() - startedAt) }, 'built place and network image');
      })
      .catch((error: unknown) => this.#stopped || log.error({ err: error }, 'place and network data could not be prepared; what was there keeps serving'))
      .finally(() => this.#builder.close())
      .then(() => {
        this.#building = false;
        progress('');
        if (!this.#stopped) this.publishCurrent();
      });
  }
}

/** Names, sizes and times of everything an image is made from that can change while the service runs. */
function stampOf(dataDir: string): string {
  return ['layers', 'network']
    .flatMap((folder) => {
      const path = join(dataDir, folder);
      if (!existsSync(path)) return [];
      return readdirSync(path).flatMap((name) => {
        const stat = statSync(join(path, name), { throwIfNoEntry: false });
        return stat === undefined ? [] : [`${folder}/${name} ${stat.size} ${stat.mtimeMs}`];
      });
    })
    .join('\n');
}

/** Reads a file into shared memory in as few calls as the system allows. */
export function readShared(path: string): SharedArrayBuffer {
  const fd = openSync(path, 'r');
  try {
    const shared = new SharedArrayBuffer(fstatSync(fd).size);
    const bytes = new Uint8Array(shared);
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(fd, bytes, at, Math.min(bytes.length - at, 1 << 30), at);
      if (read === 0) throw new Error(`${path} ended early`);
      at += read;
    }
    return shared;
  } finally {
    closeSync(fd);
  }
}

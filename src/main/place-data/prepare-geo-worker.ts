/** Builds the place and network image off the control thread, which meanwhile keeps following evidence. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../adapters/system/clock.ts';
import { prepareGeoImage } from './prepare-geo-image.ts';

const { dataDir, force } = workerData as { readonly dataDir: string; readonly force: boolean };
const port = parentPort!;
const prepared = await prepareGeoImage({ dataDir }, systemClock.now(), {
  force,
  onProgress: (step) => port.postMessage({ step }),
  onImage: (built) => port.postMessage({ built }),
});
port.postMessage({ prepared });

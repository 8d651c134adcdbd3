/** Entry of the thread that builds the image of place and network, while the control thread goes on following evidence. */
import { systemClock } from '../../adapters/system/clock.ts';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import { type BuiltImage, type PreparedImage, prepareGeoImage } from './prepare-geo-image.ts';

export interface GeoBuild {
  readonly dataDir: string;
  /** Build even when nothing changed. */
  readonly force: boolean;
}

/** The step that begins, or the image as soon as it may be served. */
export type GeoBuildProgress =
  | { readonly step: string; readonly built?: never }
  | { readonly built: BuiltImage; readonly step?: never };

answerCalls<GeoBuild, PreparedImage, GeoBuildProgress>(({ dataDir, force }, { report }) =>
  prepareGeoImage({ dataDir }, systemClock.now(), {
    force,
    onProgress: (step) => report({ step }),
    onImage: (built) => report({ built }),
  }),
);

/** Entry of the thread that checks images. Started by check-image.ts. */
import { openEvidence, verifyEvidence } from '../../engine/evidence/evidence-image.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import { verifyGeo } from '../../engine/geo/verify-geo.ts';
import { Image, verifyChecksums } from '../../engine/image.ts';
import { answerCalls } from '../system/worker-calls.ts';
import type { ImageCheck } from './check-image.ts';

answerCalls<ImageCheck, readonly string[]>(({ image, kind, depth }) => {
  if (depth === 'everything' && kind === 'geo') return verifyGeo(openGeo(image));
  if (depth === 'everything' && kind === 'evidence') return verifyEvidence(openEvidence(image));
  return verifyChecksums(new Image(image, kind));
});

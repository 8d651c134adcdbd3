/** Entry of the thread that checks images. Started by check-image.ts. */
import { openEvidence, verifyEvidence } from '../../engine/evidence/evidence-image.ts';
import { reseedEvidence, seedOf } from '../../engine/evidence/reseed-evidence.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import { verifyGeo } from '../../engine/geo/verify-geo.ts';
import { Image, type ImageBuffer, sharedMemory, verifyChecksums } from '../../engine/image.ts';
import { randomHashSeed } from '../system/random-hash-seed.ts';
import { answerCalls } from '../system/worker-calls.ts';
import type { CheckedImage, ImageCheck } from './check-image.ts';

answerCalls<ImageCheck, CheckedImage>(({ image, kind, depth }) => {
  if (depth === 'everything' && kind === 'geo') return { faults: verifyGeo(openGeo(image)) };
  if (depth === 'everything' && kind === 'evidence') return checkEvidence(image);
  return { faults: verifyChecksums(new Image(image, kind)) };
});

function checkEvidence(buffer: ImageBuffer): CheckedImage {
  const image = new Image(buffer, 'evidence');
  if (seedOf(image) !== undefined) return { faults: verifyEvidence(openEvidence(buffer)) };
  const instead = reseedEvidence(image, randomHashSeed(), sharedMemory).buffer;
  return { faults: verifyEvidence(openEvidence(instead)), instead };
}

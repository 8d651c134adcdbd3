import { createHash } from 'node:crypto';
import { openEvidence, verifyEvidence } from '../../engine/evidence/evidence-image.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import { verifyGeo } from '../../engine/geo/network-records.ts';
import { Image, type ImageBuffer, verifyChecksums } from '../../engine/image.ts';
import { dropPages } from '../system/map-file.ts';
import { answerCalls } from '../system/worker-calls.ts';
import type { CheckedImage, ImageCheck } from './check-image.ts';
import { openShared } from './published-images.ts';

answerCalls<ImageCheck, CheckedImage>((call) => {
  const image = openShared(call.image, call.kind);
  try {
    return check(image, call);
  } finally {
    dropPages(image);
  }
});

function check(image: ImageBuffer, { kind, depth, sha256 }: ImageCheck): CheckedImage {
  if (depth === 'digest') return { faults: [], sha256: digestOf(image) };
  if (sha256 !== undefined && sha256 !== digestOf(image))
    return { faults: ['these are not the bytes that were published'] };
  if (depth === 'everything' && kind === 'geo') return { faults: verifyGeo(openGeo(image)) };
  if (depth === 'everything' && kind === 'evidence') return { faults: verifyEvidence(openEvidence(image)) };
  return { faults: verifyChecksums(new Image(image, kind)) };
}

const digestOf = (image: ImageBuffer): string => createHash('sha256').update(new Uint8Array(image)).digest('hex');

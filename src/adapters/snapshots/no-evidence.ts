import { unixMs } from '../../core/units.ts';
import { emptyEvidence } from '../../engine/evidence/empty-evidence.ts';
import { NO_POSITION } from '../../engine/evidence/evidence-delta.ts';
import { randomHashSeed } from '../system/random-hash-seed.ts';
import { shareImage } from './share-image.ts';

export function noEvidence(): SharedArrayBuffer {
  const { image } = emptyEvidence({ dataVersion: 'none', builtAt: unixMs(0), ...NO_POSITION }, randomHashSeed());
  return shareImage(new Uint8Array(image.buffer));
}

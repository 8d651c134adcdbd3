import type { EvidenceImage } from '../../src/engine/evidence/evidence-image.ts';
import type { LiveEvidence } from '../../src/engine/evidence/live-evidence.ts';

/** Returns a view of the image with the deltas that it does not include; an older image changes nothing. */
export function swapImage(live: LiveEvidence, image: EvidenceImage): LiveEvidence {
  const next = live.onImage(image, false);
  if (next !== undefined) for (const delta of live.deltas) next.applyDelta(delta);
  return next ?? live;
}

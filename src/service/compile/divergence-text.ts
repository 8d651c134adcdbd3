import type { EvidencePosition } from '../../engine/evidence/evidence-delta.ts';

export function divergenceText(view: EvidencePosition, head: EvidencePosition): string {
  if (view.store !== head.store) return 'the evidence store is not the one that the view was made from';
  if (head.sequence < view.sequence)
    return 'the evidence store was restored or lost its newest batches: it is older than the view';
  return 'the evidence store was restored and written to since: it holds other batches than the view';
}

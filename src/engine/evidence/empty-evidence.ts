import type { HashSeed } from './address-hash.ts';
import { EvidenceBuilder } from './evidence-builder.ts';
import type { EvidenceMeta } from './evidence-delta.ts';
import { type EvidenceImage, openEvidence } from './evidence-image.ts';

export function emptyEvidence(meta: EvidenceMeta, seed: HashSeed): EvidenceImage {
  return openEvidence(new EvidenceBuilder().compile(meta, seed).buffer);
}

import { condensePart } from './condense-part.ts';
import type { ControlPart } from './control-part.ts';
import { demoPart } from './demo-part.ts';
import { evidencePart } from './evidence-part.ts';
import { geoImagePart } from './geo-image-part.ts';
import { ingestPart } from './ingest-part.ts';
import { networkListsPart } from './network-lists-part.ts';
import { phonePart } from './phone-part.ts';
import { pruneChangesPart } from './prune-changes-part.ts';
import type { ServeOptions } from './serve-options.ts';
import { snapshotFollowPart } from './snapshot-follow-part.ts';

/**
 * What the control thread does besides keeping HTTP threads alive, in order of start; stopped in reverse. Evidence comes before place and network, because
 * look-ups are answered from the moment those are there: an address with evidence must never be told to be unseen.
 */
export function controlParts({ demo, role }: ServeOptions): readonly ControlPart[] {
  if (role === 'api') return [snapshotFollowPart, networkListsPart, phonePart, pruneChangesPart];
  if (role === 'ingest') return [evidencePart, condensePart, geoImagePart, pruneChangesPart, ingestPart];
  return [evidencePart, condensePart, geoImagePart, networkListsPart, phonePart, pruneChangesPart, demo === true ? demoPart : ingestPart];
}

import type { ControlPart } from './control-part.ts';
import { demoPart } from './demo-part.ts';
import { evidencePart } from './evidence-part.ts';
import { geoImagePart } from './geo-image-part.ts';
import { ingestPart } from './ingest-part.ts';
import { phonePart } from './phone-part.ts';
import { pruneChangesPart } from './prune-changes-part.ts';
import type { ServeOptions } from './serve-options.ts';

/** What the control thread does besides keeping HTTP threads alive, in order of start; stopped in reverse. One line a part. */
export function controlParts({ demo }: ServeOptions): readonly ControlPart[] {
  return [geoImagePart, evidencePart, phonePart, pruneChangesPart, demo === true ? demoPart : ingestPart];
}

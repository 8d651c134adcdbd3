import type { Config } from '../config.ts';
import type { ControlPart } from './control-part.ts';
import { evidencePart } from './evidence-part.ts';
import { geoImagePart } from './geo-image-part.ts';
import { phonePart } from './phone-part.ts';
import { pruneChangesPart } from './prune-changes-part.ts';

/** What the control thread does besides keeping HTTP threads alive, in order of start; stopped in reverse. One line a part. */
export function controlParts(_config: Config): readonly ControlPart[] {
  return [geoImagePart, evidencePart, phonePart, pruneChangesPart];
}

import type { ControlPart } from './control-part.ts';
import type { ServeOptions } from './serve-options.ts';

/** A part's code is loaded when its turn comes: what is not needed for the first look-up must not hold it up. */
export type LoadPart = () => Promise<ControlPart>;

const evidence: LoadPart = async () => (await import('./evidence/evidence-part.ts')).evidencePart;
const condense: LoadPart = async () => (await import('./evidence/condense-part.ts')).condensePart;
const geoImage: LoadPart = async () => (await import('./place-data/geo-image-part.ts')).geoImagePart;
const networkLists: LoadPart = async () => (await import('./place-data/network-lists-part.ts')).networkListsPart;
const phone: LoadPart = async () => (await import('./phone/phone-part.ts')).phonePart;
const pruneChanges: LoadPart = async () => (await import('./accounts/prune-changes-part.ts')).pruneChangesPart;
const snapshotFollow: LoadPart = async () => (await import('./nodes/snapshot-follow-part.ts')).snapshotFollowPart;
const ingest: LoadPart = async () => (await import('./feeds/ingest-part.ts')).ingestPart;
const demonstration: LoadPart = async () => (await import('./demo/demo-part.ts')).demoPart;

/**
 * What the control thread does besides keeping HTTP threads alive, in order of start; stopped in reverse. Evidence comes before place and network, because
 * look-ups are answered from the moment those are there: an address with evidence must never be told to be unseen.
 */
export function controlParts({ demo, role }: ServeOptions): readonly LoadPart[] {
  if (role === 'api') return [snapshotFollow, networkLists, phone, pruneChanges];
  if (role === 'ingest') return [evidence, condense, geoImage, networkLists, pruneChanges, ingest];
  return [evidence, condense, geoImage, networkLists, phone, pruneChanges, demo === true ? demonstration : ingest];
}

import type { UnixMs } from '../../core/units.ts';
import { buildImage, jsonSection } from '../image.ts';
import { ChangedRows } from './changed-rows.ts';
import type { EvidenceDelta, EvidenceMeta } from './evidence-delta.ts';
import type { EvidenceImage } from './evidence-image.ts';
import { mergeHosts } from './merge-hosts.ts';
import { mergePrefixes } from './merge-prefixes.ts';
import { MergedNames } from './merged-names.ts';
import type { DroppedRows } from './row-names.ts';
import { withShortBuckets } from './with-short-buckets.ts';

export interface MergedEvidence {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly meta: EvidenceMeta;
  /** Changes that the image has no room for. */
  readonly dropped: Readonly<DroppedRows>;
}

/**
 * An image brought up to a newer state in one pass over its bytes, without asking the store: the rows of the image, then the changes in their order.
 * It equals the result of compiling the whole store, and keeps the seed of the image, unless buckets became long. Rows that are no longer named leave their row keys and row sets behind, so compile the whole store now and then.
 */
export function mergeEvidence(image: EvidenceImage, changes: EvidenceDelta, builtAt: UnixMs): MergedEvidence {
  const names = new MergedNames(image, changes);
  const changed = new ChangedRows(image, changes, names);
  const hosts = [...mergeHosts(image.hosts4, changed), ...mergeHosts(image.hosts6, changed)];
  const prefixes = [...mergePrefixes(image, changed, 4), ...mergePrefixes(image, changed, 6)];
  const { dataVersion, store, sequence, mark } = changes;
  const meta = { dataVersion, builtAt, store, sequence, mark };
  const bytes = buildImage('evidence', [
    jsonSection('META', { ...meta, seed: image.seed, sources: names.sources, pools: names.pools }),
    { id: 'PROF', data: changed.rowKeys.words() },
    ...prefixes,
    ...changed.sets.sections(),
    ...hosts,
  ]);
  return { bytes: withShortBuckets(bytes), meta, dropped: names.dropped };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { UnixMs } from '../../core/units.ts';
import { continues, type EvidencePosition } from '../../engine/evidence/evidence-delta.ts';
import { type EvidenceImage, openEvidence } from '../../engine/evidence/evidence-image.ts';
import { ImageError } from '../../engine/image.ts';
import { compileEvidence, mergeEvidenceSince } from '../../service/compile/compile-evidence.ts';
import type { HistoryLog } from '../../service/ports.ts';
import { checkImage } from '../snapshots/check-image.ts';
import { openShared, shareImageFile } from '../snapshots/published-images.ts';
import type { SharedFile } from '../system/map-file.ts';
import { randomHashSeed } from '../system/own-process.ts';

export interface CurrentEvidence {
  readonly image: EvidenceImage;
  readonly file?: SharedFile;
}

/**
 * Returns everything that the store holds now as an image: the last image merged with later batches, or a
 * full compile. It writes nothing, so a command can use it next to a server.
 * @param last result of an earlier call; default: the file that a server keeps in the data folder
 */
export async function currentEvidence(
  { dataDir }: { readonly dataDir: string },
  store: HistoryLog,
  now: UnixMs,
  last?: EvidenceImage,
): Promise<CurrentEvidence> {
  const kept = last === undefined ? await keptImage(dataDir) : { image: last };
  if (kept !== undefined) {
    const { meta } = kept.image;
    const head = await store.head();
    if (meta.sequence === head.sequence && meta.sequence > 0 && continues(meta, head as EvidencePosition)) return kept;
    const merged = await mergeEvidenceSince(store, kept.image, now);
    if (merged !== undefined) return { image: openEvidence(merged.bytes.buffer) };
  }
  return { image: openEvidence((await compileEvidence(store, now, randomHashSeed())).bytes.buffer) };
}

/**
 * @returns undefined for a file that is missing, damaged, or of an earlier layout; then everything is
 * compiled
 */
async function keptImage(dataDir: string): Promise<CurrentEvidence | undefined> {
  const path = join(dataDir, 'images', 'evidence.img');
  if (!existsSync(path)) return undefined;
  try {
    const file = shareImageFile(path);
    await checkImage(file, 'evidence', 'everything');
    return { image: openEvidence(openShared(file, 'evidence')), file };
  } catch (error) {
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { UnixMs } from '../../core/units.ts';
import { continues, type EvidencePosition } from '../../engine/evidence/evidence-delta.ts';
import { type EvidenceImage, openEvidence } from '../../engine/evidence/evidence-image.ts';
import { ImageError } from '../../engine/image.ts';
import { compileEvidence, mergeEvidenceSince } from '../../service/compile/compile-evidence.ts';
import type { HistoryLog } from '../../service/ports.ts';
import { checkImage } from '../snapshots/check-image.ts';
import { readImageFile } from '../snapshots/read-image-file.ts';
import { randomHashSeed } from '../system/random-hash-seed.ts';

/**
 * Everything the store holds at this moment, as an image, for a command that walks it: the image at hand with later batches, or all of it compiled. Writes nothing, so
 * it works next to a server.
 * @param last its result before; left out, the file that a server keeps in the data folder
 */
export async function currentEvidence(
  { dataDir }: { readonly dataDir: string },
  store: HistoryLog,
  now: UnixMs,
  last?: EvidenceImage,
): Promise<EvidenceImage> {
  const base = last ?? (await keptImage(dataDir));
  if (base !== undefined) {
    const head = await store.head();
    if (
      base.meta.sequence === head.sequence &&
      base.meta.sequence > 0 &&
      continues(base.meta, head as EvidencePosition)
    )
      return base;
    const merged = await mergeEvidenceSince(store, base, now);
    if (merged !== undefined) return openEvidence(merged.bytes.buffer);
  }
  return openEvidence((await compileEvidence(store, now, randomHashSeed())).bytes.buffer);
}

/** @returns undefined for one that is not there, damaged, or of an earlier layout: everything is compiled then */
async function keptImage(dataDir: string): Promise<EvidenceImage | undefined> {
  const path = join(dataDir, 'images', 'evidence.img');
  if (!existsSync(path)) return undefined;
  try {
    const image = await readImageFile(path, 'evidence');
    await checkImage(image, 'evidence', 'everything');
    return openEvidence(image);
  } catch (error) {
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}

import type { UnixMs } from '../../core/units.ts';
import type { HashSeed } from '../../engine/evidence/address-hash.ts';
import { EvidenceBuilder } from '../../engine/evidence/evidence-builder.ts';
import { continues, type EvidenceDelta, type EvidenceMeta, positionOf } from '../../engine/evidence/evidence-delta.ts';
import type { EvidenceImage } from '../../engine/evidence/evidence-image.ts';
import type { DroppedRows } from '../../engine/evidence/evidence-row.ts';
import { mergeEvidence } from '../../engine/evidence/merge-evidence.ts';
import { shareColumns } from '../../engine/evidence/row-sets.ts';
import type { EvidenceChanges, EvidenceHead, EvidenceRows, HistoryLog } from '../ports.ts';

export interface CompiledEvidence {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly meta: EvidenceMeta;
  readonly rows: number;
  readonly dropped: Readonly<DroppedRows>;
}

/**
 * Compiles the whole store from one consistent reading. It takes seconds, so run it in a worker.
 * @param at compiles what was known at this instant
 */
export async function compileEvidence(
  store: Pick<HistoryLog, 'scan'>,
  builtAt: UnixMs,
  seed: HashSeed,
  at?: UnixMs,
): Promise<CompiledEvidence> {
  return store.scan(async ({ head, names, columns }) => {
    const builder = new EvidenceBuilder();
    // The builder numbers sources in the order of these calls, so the columns' numbers are its own.
    for (const source of names.sources) builder.source(source);
    let known = 0;
    for await (const chunk of columns) {
      for (; known < names.pools.length; known++) builder.pool(names.pools[known]!);
      builder.add(chunk);
    }
    const meta = { dataVersion: evidenceVersion(head), builtAt, ...positionOf(head) };
    const dropped = { rows: names.dropped.rows + builder.dropped, pools: names.dropped.pools };
    const rows = builder.length;
    return { bytes: builder.compile(meta, seed), meta, rows, dropped };
  }, at);
}

/**
 * Brings an image up to the store's newest batch from the changes since. A million changes take a second,
 * while a compile reads every row. Run it in a worker thread.
 * @returns undefined where the store no longer has all changes or never was in the image's state; compile
 * then
 */
export async function mergeEvidenceSince(
  store: HistoryLog,
  image: EvidenceImage,
  builtAt: UnixMs,
): Promise<Omit<CompiledEvidence, 'rows'> | undefined> {
  const log = await store.logSince(image.meta.sequence);
  if (log === undefined || !continues(image.meta, log.since)) return undefined;
  const { head, names, rows } = log;
  const { sources, pools } = names;
  const merged = mergeEvidence(
    image,
    { ...rows, sources, pools, ...positionOf(head), dataVersion: evidenceVersion(head) },
    builtAt,
  );
  return {
    ...merged,
    dropped: { rows: merged.dropped.rows + names.dropped.rows, pools: merged.dropped.pools + names.dropped.pools },
  };
}

export function deltaOf({
  head,
  changed: { names, rows },
}: EvidenceChanges & { readonly changed: EvidenceRows }): EvidenceDelta {
  return {
    ...shareColumns(rows),
    ...positionOf(head),
    dataVersion: evidenceVersion(head),
    sources: names.sources,
    pools: names.pools,
  };
}

export const NO_EVIDENCE_VERSION = 'none';

/**
 * data_version.risk: date and time of the newest capture of any source, and the number of the newest batch,
 * so that two states never share a name.
 */
export function evidenceVersion({ latestAt, sequence }: EvidenceHead): string {
  if (latestAt === undefined) return sequence === 0 ? NO_EVIDENCE_VERSION : `empty.${sequence}`;
  return `${new Date(latestAt).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.${sequence}`;
}

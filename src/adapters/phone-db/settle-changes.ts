import type { PhoneEntry } from '../../core/phone/entry.ts';
import { type LibraryOutcome, mergeEntry, type PhoneChange } from '../../service/phone/phone-libraries.ts';
import { hashNumbers, type NumberKey } from './number-key.ts';

type ImportCounts = {
  -readonly [Count in 'upserts' | 'deletions' | 'unchanged']: NonNullable<LibraryOutcome[Count]>;
};

export const noCounts = (): ImportCounts => ({ upserts: 0, deletions: 0, unchanged: 0 });

export interface PreparedBatch {
  readonly hashes: Buffer;
  /**
   * The last change of each number, whose hash is at `index`. Without an entry the number is deleted. `held`
   * means that the library has it now.
   */
  readonly changes: readonly {
    readonly index: number;
    readonly entry: PhoneEntry | undefined;
    readonly held: boolean;
  }[];
}

export type StoredEntries = (hashes: Buffer) => Promise<ReadonlyMap<number, PhoneEntry>>;

/** Hashes numbers and merges appearances. An appearance without news is counted and left out. */
export async function* settleChanges(
  key: NumberKey,
  batches: AsyncIterable<readonly PhoneChange[]>,
  counts: ImportCounts,
  held?: StoredEntries,
): AsyncGenerator<PreparedBatch> {
  for await (const batch of batches) {
    const hashes = hashNumbers(
      key,
      batch.map(({ digits }) => digits),
    );
    const present = await held?.(hashes);
    const changes = new Map<string, PreparedBatch['changes'][number]>();
    batch.forEach((change, index) => {
      const before = present?.get(index);
      const entry =
        'deleted' in change ? undefined : change.merge === true ? mergeEntry(before, change.entry) : change.entry;
      if (entry !== undefined && entry === before) {
        counts.unchanged++;
        return;
      }
      counts[entry === undefined ? 'deletions' : 'upserts']++;
      changes.set(change.digits, { index, entry, held: before !== undefined });
    });
    yield { hashes, changes: [...changes.values()] };
  }
}

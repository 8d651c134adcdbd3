import type { PhoneEntry } from '../../core/phone/entry.ts';
import { type LibraryOutcome, mergeAppearance, type PhoneChange } from '../../service/phone/phone-libraries.ts';
import { hashNumbers, type NumberKey } from './number-key.ts';

type ImportCounts = {
  -readonly [Count in 'upserts' | 'deletions' | 'unchanged']: NonNullable<LibraryOutcome[Count]>;
};

export const noCounts = (): ImportCounts => ({ upserts: 0, deletions: 0, unchanged: 0 });

/** One batch as it is to be written. */
export interface SettledBatch {
  /** Keyed hashes of all its numbers, HASH_BYTES each. */
  readonly hashes: Buffer;
  /** The last change of each number. `index` finds its hash; without an entry it is deleted. `held`: the library has it now. */
  readonly changes: readonly {
    readonly index: number;
    readonly entry: PhoneEntry | undefined;
    readonly held: boolean;
  }[];
}

/** Stored records of a batch, by place. */
export type HeldEntries = (hashes: Buffer) => Promise<ReadonlyMap<number, PhoneEntry>>;

/** The rule of every import: numbers are hashed, appearances joined, and one that says nothing new left out. */
export async function* settleChanges(
  key: NumberKey,
  batches: AsyncIterable<readonly PhoneChange[]>,
  counts: ImportCounts,
  held?: HeldEntries,
): AsyncGenerator<SettledBatch> {
  for await (const batch of batches) {
    const hashes = hashNumbers(
      key,
      batch.map(({ digits }) => digits),
    );
    const present = await held?.(hashes);
    const changes = new Map<string, SettledBatch['changes'][number]>();
    batch.forEach((change, index) => {
      const before = present?.get(index);
      const entry =
        'deleted' in change ? undefined : change.merge === true ? mergeAppearance(before, change.entry) : change.entry;
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

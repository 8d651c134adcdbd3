import type { PhoneEntry } from '../../core/phone/entry.ts';
import { type LibraryOutcome, mergeAppearance, type PhoneChange } from '../../service/phone/phone-libraries.ts';
import { hashNumbers, type NumberKey } from './number-key.ts';

export type ImportCounts = {
  -readonly [Count in 'upserts' | 'deletions' | 'unchanged']: NonNullable<LibraryOutcome[Count]>;
};

export const noCounts = (): ImportCounts => ({ upserts: 0, deletions: 0, unchanged: 0 });

/** One batch as it is to be written. */
export interface SettledBatch {
  /** Keyed hashes of all its numbers, HASH_BYTES each. */
  readonly hashes: Buffer;
  /** In the order given. `index` finds the number's hash; without an entry the number is deleted. */
  readonly changes: readonly { readonly index: number; readonly entry: PhoneEntry | undefined }[];
}

/** What a library holds of each number of a batch. */
export type HeldEntries = (digits: readonly string[], hashes: Buffer) => Promise<readonly (PhoneEntry | undefined)[]>;

/**
 * The rule of every import, whatever writes it: numbers are hashed, appearances are joined with what is held, and one that says nothing new is left out.
 * @param counts is added to
 * @param held is asked only for a batch with appearances; left out, nothing is held
 */
export async function* settleChanges(
  key: NumberKey,
  batches: AsyncIterable<readonly PhoneChange[]>,
  counts: ImportCounts,
  held?: HeldEntries,
): AsyncGenerator<SettledBatch> {
  for await (const batch of batches) {
    const digits = batch.map((change) => change.digits);
    const hashes = hashNumbers(key, digits);
    const present = batch.some((change) => 'merge' in change) ? ((await held?.(digits, hashes)) ?? []) : [];
    const changes: SettledBatch['changes'][number][] = [];
    batch.forEach((change, index) => {
      const entry =
        'deleted' in change
          ? undefined
          : change.merge === true
            ? mergeAppearance(present[index], change.entry)
            : change.entry;
      if (entry !== undefined && entry === present[index]) {
        counts.unchanged++;
        return;
      }
      counts[entry === undefined ? 'deletions' : 'upserts']++;
      changes.push({ index, entry });
    });
    yield { hashes, changes };
  }
}

import type { PhoneLibraryName } from '../../../contract/phone.ts';
import { bitsFor, type GenerationFooter, scanGeneration } from './generation.ts';
import { isDeletion, NO_SCORE, WORDS } from './record.ts';

/** Faults named before the rest is left unread. */
const FAULTS_MAX = 5;
const RISK_MAX = 9;

/**
 * Checks a generation file in full, which loading does not: records strictly ascending, a directory that says where each bucket begins, numbers that name
 * entries of the tables, no deletion. Reads from end to end and holds the directory alone.
 * @returns the faults found, none for a sound file; no fault holds a hash
 * @throws Error as `loadGeneration` where the file is damaged, of another library or of another secret
 */
export async function verifyGeneration(
  path: string,
  library: PhoneLibraryName,
  keyId: string,
): Promise<readonly string[]> {
  const check = new GenerationCheck();
  const footer = await scanGeneration(
    path,
    library,
    keyId,
    (words, about) => check.records(words, about),
    (words, about) => check.directory(words, about),
  );
  return check.finish(footer);
}

class GenerationCheck {
  readonly #faults: string[] = [];
  readonly #last = new Uint32Array(3);
  /** Records before each bucket, as the records say. */
  #begins: Uint32Array | undefined;
  #row = 0;
  #bucket = 0;
  #entry = 0;

  records(words: Uint32Array, footer: GenerationFooter): void {
    for (let at = 0; at < words.length; at += WORDS) {
      if (this.#row > 0 && !this.#follows(words, at))
        this.#fault(`record ${this.#row} does not follow the one before it`);
      const fault = recordFault(words, at, footer);
      if (fault !== undefined) this.#fault(`record ${this.#row} ${fault}`);
      this.#last.set(words.subarray(at, at + 3));
      this.#beginUpTo(footer.bits === 0 ? 0 : words[at]! >>> (32 - footer.bits), footer);
      this.#row++;
    }
  }

  directory(words: Uint32Array, footer: GenerationFooter): void {
    this.#beginUpTo(2 ** footer.bits, footer);
    for (let i = 0; i < words.length; i++, this.#entry++)
      if (words[i] !== this.#begins![this.#entry])
        this.#fault(`bucket ${this.#entry} begins at record ${words[i]}, not ${this.#begins![this.#entry]}`);
  }

  finish(footer: GenerationFooter): readonly string[] {
    if (footer.bits !== bitsFor(footer.records))
      this.#fault(`a directory of ${footer.bits} bits for ${footer.records} records`);
    if (footer.tagSets[0]?.length !== 0) this.#fault('tag set 0 is not the empty one');
    if (Object.keys(footer.cards[0] ?? { missing: true }).length > 0)
      this.#fault('card facts 0 are not the empty ones');
    return this.#faults;
  }

  #follows(words: Uint32Array, at: number): boolean {
    for (let w = 0; w < 3; w++) if (words[at + w] !== this.#last[w]) return words[at + w]! > this.#last[w]!;
    return false;
  }

  /** Every bucket up to this one that has no beginning yet begins at the current record. */
  #beginUpTo(bucket: number, { bits }: GenerationFooter): void {
    this.#begins ??= new Uint32Array(2 ** bits + 1);
    while (this.#bucket <= bucket) this.#begins[this.#bucket++] = this.#row;
  }

  #fault(fault: string): void {
    if (this.#faults.length < FAULTS_MAX) this.#faults.push(fault);
  }
}

function recordFault(words: Uint32Array, at: number, { tagSets, cards }: GenerationFooter): string | undefined {
  const [tags, card, last, risk] = [words[at + 3]! & 0xffff, words[at + 4]!, words[at + 6]!, words[at + 7]!];
  if (isDeletion(words, at)) return 'is a deletion';
  if (tags >= tagSets.length) return `names tag set ${tags} of ${tagSets.length}`;
  if (card >= cards.length) return `names card facts ${card} of ${cards.length}`;
  if (risk > RISK_MAX && risk !== NO_SCORE) return `has risk ${risk}`;
  return last === 0 ? 'was never active' : undefined;
}

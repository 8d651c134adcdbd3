/** Distinct entries of a file, and their answers. */
export interface BulkRows<Item, Kept, About> {
  readonly size: number;
  readonly answered: number;
  /** Common part of the answers so far; undefined without one. */
  readonly about: About | undefined;
  /** Numbers of the entries that were not asked about, in the order in which they are. */
  unanswered(): readonly number[];
  text(number: number): string;
  /** Keeps the answer about an entry. */
  answer(number: number, item: Item): void;
  /** Answer about an entry, to be kept; undefined where nothing was. */
  kept(number: number): Kept | undefined;
  /** Takes the answers of one kept batch, unless their entries are not in the file. */
  restore(answers: readonly Kept[], about: About | undefined): void;
  /** Text that two files share when they have the same entries; others hardly ever. */
  digest(): string;
}

/** The same for the same texts in the same order. */
export function digestOf(texts: Iterable<string>): string {
  let [a, b, count] = [0x811c9dc5, 0x9e3779b9, 0];
  for (const text of texts) {
    count++;
    for (const character of `${text};`) {
      const code = character.charCodeAt(0);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
    }
  }
  return [a, b, count].map((part) => (part >>> 0).toString(36)).join('-');
}

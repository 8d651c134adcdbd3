import type { Address } from '../ip/address.ts';
import { formatAddress } from '../ip/format-address.ts';
import type { LineLayout } from '../logs/line-layout.ts';
import { makeLineReader } from '../logs/make-line-reader.ts';
import { SuffixStore } from './suffix-store.ts';
import type { SuffixText } from './suffix-text.ts';
import { isRefused, type Suffixes } from './verdict-suffixes.ts';

/** Addresses remembered; past them all are forgotten before the next block. */
const ADDRESSES_MAX = 500_000;

/** Suffixes of verdicts that are asked for elsewhere: those that a block needs are gathered, asked for together, and then at hand. */
export class GatheredSuffixes implements Suffixes {
  readonly store = new SuffixStore();
  readonly #text: SuffixText;
  readonly #numbers = new Map<string, number>();

  constructor(text: SuffixText) {
    this.#text = text;
  }

  /** Addresses of a block that are not known yet, each once, in their canonical form. */
  missing(block: Uint8Array, layout: LineLayout): readonly Address[] {
    if (this.#numbers.size > ADDRESSES_MAX) {
      this.#numbers.clear();
      this.store.clear();
    }
    const reader = makeLineReader(layout);
    const found = new Map<string, Address>();
    for (let from = 0; from < block.length; ) {
      from = reader.read(block, from);
      if (!reader.hasAddress) continue;
      const { family, w0, w1, w2, w3 } = reader.address;
      const text = formatAddress(reader.address);
      if (!this.#numbers.has(text)) found.set(text, { family, w0, w1, w2, w3 });
    }
    return [...found.values()];
  }

  /** Takes the documents of the addresses, in their order. */
  take(addresses: readonly Address[], documents: readonly object[]): void {
    for (const [i, address] of addresses.entries()) {
      const document = documents[i]!;
      this.#numbers.set(formatAddress(address), this.store.add(this.#text(document), isRefused(document)));
    }
  }

  numberOf(address: Address): number {
    return this.#numbers.get(formatAddress(address))!;
  }
}

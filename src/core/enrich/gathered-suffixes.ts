import type { Address } from '../ip/address.ts';
import { formatAddress } from '../ip/format-address.ts';
import type { LineLayout } from '../logs/line-layout.ts';
import type { LineReader } from '../logs/line-reader.ts';
import { makeLineReader } from '../logs/make-line-reader.ts';
import type { UnixMs } from '../units.ts';
import { SuffixStore } from './suffix-store.ts';
import type { SuffixText } from './suffix-text.ts';
import { isRefused, type Suffixes } from './verdict-suffixes.ts';

export type AddressAt = Address & { readonly at?: UnixMs | undefined };

const ADDRESSES_MAX = 500_000;

/**
 * Serves suffixes of remote verdicts: the missing ones of a block are gathered, requested together, and then
 * available.
 */
export class GatheredSuffixes implements Suffixes {
  readonly store = new SuffixStore();
  readonly #text: SuffixText;
  readonly #numbers = new Map<string, number>();

  readonly #isByTime: boolean;

  constructor(text: SuffixText, isByTime = false) {
    this.#text = text;
    this.#isByTime = isByTime;
  }

  missing(block: Uint8Array, layout: LineLayout): readonly AddressAt[] {
    if (this.#numbers.size > ADDRESSES_MAX) {
      this.#numbers.clear();
      this.store.clear();
    }
    const reader = makeLineReader(layout);
    const found = new Map<string, AddressAt>();
    for (let from = 0; from < block.length; ) {
      from = reader.read(block, from);
      if (!reader.hasAddress) continue;
      const { family, w0, w1, w2, w3 } = reader.address;
      const at = this.#isByTime ? reader.time() : undefined;
      const key = keyOf(reader.address, at);
      if (!this.#numbers.has(key)) found.set(key, { family, w0, w1, w2, w3, at });
    }
    return [...found.values()];
  }

  take(addresses: readonly AddressAt[], documents: readonly object[]): void {
    for (const [i, address] of addresses.entries()) {
      const document = documents[i]!;
      this.#numbers.set(keyOf(address, address.at), this.store.add(this.#text(document), isRefused(document)));
    }
  }

  numberOf(address: Address, record: Pick<LineReader, 'time'>): number {
    return this.#numbers.get(keyOf(address, this.#isByTime ? record.time() : undefined))!;
  }
}

const keyOf = (address: Address, at: UnixMs | undefined): string =>
  at === undefined ? formatAddress(address) : `${formatAddress(address)}@${at}`;

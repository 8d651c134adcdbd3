import type { Prefix } from '../ip/address.ts';
import { formatPrefix } from '../ip/format-address.ts';
import { prefixOf } from '../ip/prefix.ts';
import type { LinesFormat } from './feed.ts';

export class NetworkCount {
  readonly #bits: number;
  readonly #least: number;
  readonly #share: number;
  readonly #addresses = new Set<number>();

  constructor({ bits, least, share }: NonNullable<LinesFormat['networksOf']>) {
    this.#bits = bits;
    this.#least = least;
    this.#share = share;
  }

  add({ family, bits, w0 }: Pick<Prefix, 'family' | 'bits' | 'w0'>): void {
    if (family === 4 && bits === 32) this.#addresses.add(w0);
  }

  *texts(): Generator<string> {
    const counts = new Map<number, number>();
    for (const w0 of this.#addresses) {
      const { w0: network } = prefixOf({ family: 4, w0, w1: 0, w2: 0, w3: 0 }, this.#bits);
      counts.set(network, (counts.get(network) ?? 0) + 1);
    }
    const least = Math.max(this.#least, this.#share * this.#addresses.size);
    for (const [w0, count] of counts)
      if (count >= least) yield formatPrefix({ family: 4, w0, w1: 0, w2: 0, w3: 0, bits: this.#bits });
  }
}

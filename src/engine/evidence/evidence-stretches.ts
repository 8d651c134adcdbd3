import type { Address } from '../../core/ip/address.ts';
import { addressBefore } from '../../core/ip/cut-points.ts';
import { addressAfter, compareAddresses } from '../../core/ip/prefix.ts';
import { addressIn, lastOf } from './address-hash.ts';
import type { EvidenceImage } from './evidence-image.ts';

export interface Stretch {
  readonly first: Address;
  readonly last: Address;
}

/**
 * Returns the last address up to which the facts of a verdict stay the same; undefined means the end of the
 * family.
 */
export type StretchEnd = (address: Address) => Address | undefined;

/**
 * Yields every address of one family with evidence, ascending, in stretches within which the rows and all
 * `reaches` stay the same. A verdict for the first address of a stretch holds for all of it. Stretches are
 * made one at a time.
 * @param also ascending and disjoint ranges that are included without evidence too
 */
export function* evidenceStretches(
  image: EvidenceImage,
  family: 4 | 6,
  reaches: readonly StretchEnd[],
  also: readonly Stretch[] = [],
): Generator<Stretch> {
  const hosts = new Hosts(image, family);
  const { starts, ids, count } = (family === 4 ? image.prefixes4 : image.prefixes6).ranges();
  const width = family === 4 ? 1 : 4;
  for (let range = 0; range < count; range++) {
    const first = addressIn(family, starts, range * width);
    const last = range + 1 < count ? addressBefore(addressIn(family, starts, (range + 1) * width)) : lastOf(family);
    if (ids[range] !== 0) {
      yield* split(first, last, hosts, reaches);
      continue;
    }
    for (const part of also) {
      const [from, to] = [later(first, part.first), earlier(last, part.last)];
      if (compareAddresses(from, to) > 0) continue;
      if (compareAddresses(first, from) < 0) yield* hosts.upTo(addressBefore(from));
      yield* split(from, to, hosts, reaches);
    }
    yield* hosts.upTo(last);
  }
}

const later = (a: Address, b: Address): Address => (compareAddresses(a, b) < 0 ? b : a);
const earlier = (a: Address, b: Address): Address => (compareAddresses(a, b) < 0 ? a : b);

function* split(first: Address, last: Address, hosts: Hosts, reaches: readonly StretchEnd[]): Generator<Stretch> {
  for (let at: Address | undefined = first; at !== undefined && compareAddresses(at, last) <= 0; ) {
    let end: Address;
    if (hosts.isAt(at)) {
      end = at;
      hosts.skip();
    } else {
      end = last;
      const next = hosts.next();
      if (next !== undefined && compareAddresses(next, end) <= 0) end = addressBefore(next);
      for (const reach of reaches) {
        const reached = reach(at);
        if (reached !== undefined && compareAddresses(reached, end) < 0) end = reached;
      }
    }
    yield { first: at, last: end };
    at = addressAfter(end);
  }
}

class Hosts {
  readonly #family: 4 | 6;
  readonly #width: 1 | 4;
  readonly #keys: Uint32Array;
  #at = 0;

  constructor({ hosts4, hosts6 }: EvidenceImage, family: 4 | 6) {
    this.#family = family;
    this.#width = family === 4 ? 1 : 4;
    this.#keys = (family === 4 ? hosts4 : hosts6).sortedKeys();
  }

  next(): Address | undefined {
    return this.#at === this.#keys.length ? undefined : addressIn(this.#family, this.#keys, this.#at);
  }

  isAt(address: Address): boolean {
    const next = this.next();
    return next !== undefined && compareAddresses(next, address) === 0;
  }

  skip(): void {
    this.#at += this.#width;
  }

  *upTo(last: Address): Generator<Stretch> {
    for (let host = this.next(); host !== undefined && compareAddresses(host, last) <= 0; host = this.next()) {
      this.skip();
      yield { first: host, last: host };
    }
  }
}

import type { Address, Prefix } from '../ip/address.ts';
import { addressBefore } from '../ip/cut-points.ts';
import { addressAfter, compareAddresses, lastAddress, prefixesOfRange } from '../ip/prefix.ts';

export interface ListChange {
  readonly change: 'added' | 'removed';
  readonly prefix: Prefix;
}

interface Range {
  readonly first: Address;
  readonly last: Address;
}

const order = (a: Address, b: Address): number => a.family - b.family || compareAddresses(a, b);

/**
 * Compares two lists address by address, so that a prefix that was split or joined is no change. Each list
 * ascends, IPv4 first, and its prefixes do not overlap.
 */
export function* listChanges(before: Iterable<Prefix>, now: Iterable<Prefix>): Generator<ListChange> {
  const [old, fresh] = [ranges(before), ranges(now)];
  let [a, b] = [next(old), next(fresh)];
  while (a !== undefined || b !== undefined) {
    if (a === undefined || (b !== undefined && order(b.last, a.first) < 0)) {
      yield* changes('added', b!);
      b = next(fresh);
    } else if (b === undefined || order(a.last, b.first) < 0) {
      yield* changes('removed', a);
      a = next(old);
    } else {
      const begins = order(a.first, b.first);
      if (begins < 0) yield* changes('removed', { first: a.first, last: addressBefore(b.first) });
      if (begins > 0) yield* changes('added', { first: b.first, last: addressBefore(a.first) });
      const ends = order(a.last, b.last);
      const [aEnd, bEnd]: readonly [Address, Address] = [a.last, b.last];
      a = ends > 0 ? { first: addressAfter(bEnd)!, last: aEnd } : next(old);
      b = ends < 0 ? { first: addressAfter(aEnd)!, last: bEnd } : next(fresh);
    }
  }
}

function* ranges(prefixes: Iterable<Prefix>): Generator<Range, undefined> {
  for (const prefix of prefixes) yield { first: prefix, last: lastAddress(prefix) };
}

const next = (from: Generator<Range, undefined>): Range | undefined => from.next().value;

function* changes(change: ListChange['change'], { first, last }: Range): Generator<ListChange> {
  for (const prefix of prefixesOfRange(first, last)) yield { change, prefix };
}

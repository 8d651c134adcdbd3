import type { Address, Prefix } from '../ip/address.ts';
import { addressAfter, compareAddresses, familyBits, lastAddress, prefixesOfRange } from '../ip/prefix.ts';

/** Consecutive addresses of which one thing holds. */
export interface ValuedStretch {
  readonly first: Address;
  /** Included. */
  readonly last: Address;
  /** Number of the statement that holds: neighbours of one number are joined. */
  readonly value: number;
  /** Number of the network they are in; stretches of different networks are joined all the same. */
  readonly network: number;
}

export interface ValuedPrefix {
  readonly prefix: Prefix;
  readonly value: number;
  /** The network that holds the whole prefix; undefined where several do. */
  readonly network: number | undefined;
}

/** The fewest prefixes that say the same as these stretches, which ascend and do not overlap. */
export function* joinStretches(stretches: Iterable<ValuedStretch>): Generator<ValuedPrefix> {
  let run: ValuedStretch[] = [];
  for (const stretch of stretches) {
    const last = run[run.length - 1];
    if (last !== undefined && last.value === stretch.value && follows(stretch.first, last.last)) {
      add(run, stretch);
      continue;
    }
    if (last !== undefined) yield* prefixesOf(run);
    run = [stretch];
  }
  yield* prefixesOf(run);
}

function follows(address: Address, before: Address): boolean {
  if (address.family !== before.family) return false;
  const next = addressAfter(before);
  return next !== undefined && compareAddresses(next, address) === 0;
}

/** Adds a stretch to a run; one in the network of the last is the same piece. */
function add(run: ValuedStretch[], stretch: ValuedStretch): void {
  const last = run[run.length - 1];
  if (last?.network === stretch.network) run[run.length - 1] = { ...last, last: stretch.last };
  else run.push(stretch);
}

/** @param run pieces that follow each other, each in another network than the one before */
function prefixesOf(run: readonly ValuedStretch[]): readonly ValuedPrefix[] {
  const [head] = run;
  if (head === undefined) return [];
  const { first, value, network } = head;
  const { last } = run[run.length - 1]!;
  const { family, w0, w1, w2, w3 } = first;
  // Most are single addresses, of which there is nothing to join.
  if (compareAddresses(first, last) === 0)
    return [{ prefix: { family, w0, w1, w2, w3, bits: familyBits(family) }, value, network }];
  let piece = 0;
  return prefixesOfRange(first, last).map((prefix) => {
    while (compareAddresses(run[piece]!.last, prefix) < 0) piece++;
    const isWhole = compareAddresses(lastAddress(prefix), run[piece]!.last) <= 0;
    return { prefix, value, network: isWhole ? run[piece]!.network : undefined };
  });
}

import type { Address, Prefix } from '../ip/address.ts';
import { addressAfter, compareAddresses, familyBits, lastAddress, prefixesOfRange } from '../ip/prefix.ts';

/**
 * - `last`: the stretch includes this address.
 * - `value`: neighbours with the same value are joined, even across networks.
 */
export interface ValuedStretch {
  readonly first: Address;
  readonly last: Address;
  readonly value: number;
  readonly network: number;
}

export interface ValuedPrefix {
  readonly prefix: Prefix;
  readonly value: number;
  /** Undefined where several networks hold the prefix. */
  readonly network: number | undefined;
}

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

function add(run: ValuedStretch[], stretch: ValuedStretch): void {
  const last = run[run.length - 1];
  if (last?.network === stretch.network) run[run.length - 1] = { ...last, last: stretch.last };
  else run.push(stretch);
}

/** @param run pieces that follow each other, each in another network than the previous one */
function prefixesOf(run: readonly ValuedStretch[]): readonly ValuedPrefix[] {
  const [head] = run;
  if (head === undefined) return [];
  const { first, value, network } = head;
  const { last } = run[run.length - 1]!;
  const { family, w0, w1, w2, w3 } = first;
  if (compareAddresses(first, last) === 0)
    return [{ prefix: { family, w0, w1, w2, w3, bits: familyBits(family) }, value, network }];
  let piece = 0;
  return prefixesOfRange(first, last).map((prefix) => {
    while (compareAddresses(run[piece]!.last, prefix) < 0) piece++;
    const isWhole = compareAddresses(lastAddress(prefix), run[piece]!.last) <= 0;
    return { prefix, value, network: isWhole ? run[piece]!.network : undefined };
  });
}

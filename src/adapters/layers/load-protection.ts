import type { KnownGood, Protection } from '../../core/risk/known-good.ts';
import { loadKnownGood } from './known-good.ts';

/**
 * The shipped table of known-good addresses, and the part of the evidence that is the operator's own.
 * @param published ids of the sources that are published lists
 * @param knownGood the table, where it was read already; else it is read when a score asks for it first
 */
export function loadProtection(published: readonly string[], knownGood?: KnownGood): Protection {
  let table = knownGood;
  const lists = new Set(published);
  return {
    knownGood: (address, at) => {
      table ??= loadKnownGood();
      return table.find(address, at);
    },
    isOwn: (source) => !lists.has(source),
  };
}

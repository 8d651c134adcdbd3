import type { Protection } from '../../core/risk/known-good.ts';
import { loadKnownGood } from './known-good.ts';

/**
 * The shipped table of known-good addresses, and the part of the evidence that is the operator's own.
 * @param knownGood the table, where another thread has read it
 * @param published ids of the sources that are published lists
 */
export function loadProtection(published: readonly string[], knownGood = loadKnownGood()): Protection {
  const lists = new Set(published);
  return { knownGood: (address, at) => knownGood.find(address, at), isOwn: (source) => !lists.has(source) };
}

import type { KnownGood, Protection } from '../../core/risk/known-good.ts';
import { loadKnownGood } from './known-good.ts';

export function loadProtection(published: readonly string[], knownGood?: KnownGood): Protection {
  const lists = new Set(published);
  return {
    knownGood: (address, at) => (knownGood ?? loadKnownGood()).find(address, at),
    isOwn: (source) => !lists.has(source),
  };
}

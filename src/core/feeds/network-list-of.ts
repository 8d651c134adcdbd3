import type { NetworkList } from '../place/network-list.ts';
import type { Feed, ParsedFeed } from './feed.ts';

/**
 * Makes the list of a network feed's reading; a fingerprint of the content is its version.
 * @throws Error for a feed that is evidence
 */
export function networkListOf(feed: Feed, parsed: ParsedFeed): NetworkList {
  if (feed.effect.kind !== 'network') throw new Error(`${feed.id} is evidence and describes no network`);
  const { batch, asns, places } = parsed;
  const stated = new TextEncoder().encode(places?.join('\n') ?? '');
  return {
    id: feed.id,
    version: fingerprint([batch.words, batch.bits, batch.family, asns, stated]),
    family: feed.family,
    effect: feed.effect.network,
    ...(batch.length === 0
      ? {}
      : { prefixes: { length: batch.length, family: batch.family, words: batch.words, bits: batch.bits } }),
    ...(asns.length === 0 ? {} : { asns }),
    ...(places && { places }),
  };
}

/** Two independent 32-bit FNV-1a style sums over the columns notice a change; they do not stop an adversary. */
function fingerprint(columns: readonly (Uint8Array | Uint32Array)[]): string {
  let a = 0x811c9dc5;
  let b = 0xc2b2ae35;
  for (const column of columns) {
    a = Math.imul(a ^ column.length, 0x01000193);
    for (const value of column) {
      a = Math.imul(a ^ value, 0x01000193);
      b = Math.imul(b + value, 0x85ebca6b) ^ (b >>> 13);
    }
  }
  return [a, b].map((sum) => (sum >>> 0).toString(16).padStart(8, '0')).join('');
}

import { feedById } from '../adapters/feeds/catalogue.ts';
import { loadKnownGood } from '../adapters/layers/known-good.ts';
import type { Protection } from '../core/risk/known-good.ts';

/** Feeds of the catalogue that read what the operator collected. */
const OWN_FAMILY = 'own-sensors';

/** The shipped table of known-good addresses, and what of the evidence is the operator's own: every source that is not a published list of the catalogue. */
export function loadProtection(): Protection {
  const knownGood = loadKnownGood();
  return {
    isKnownGood: (address, at) => knownGood.covers(address, at),
    isOwn: (source) => {
      const feed = feedById(source);
      return feed === undefined || feed.family === OWN_FAMILY;
    },
  };
}

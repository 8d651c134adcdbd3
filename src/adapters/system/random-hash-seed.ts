import { type HashSeed, SEED_WORDS } from '../../engine/evidence/address-hash.ts';

/** A seed that publishers of addresses cannot know. */
export const randomHashSeed = (): HashSeed => [...crypto.getRandomValues(new Uint32Array(SEED_WORDS))];

import { type HashSeed, SEED_WORDS } from '../../src/engine/evidence/address-hash.ts';
import { randomWords } from './random.ts';

/** The seed is the same in each run, so that a failure can be run again. */
export const FIXED_SEED: HashSeed = Array.from({ length: SEED_WORDS }, randomWords(20_261_122));

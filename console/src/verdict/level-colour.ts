import type { EvidenceState, Level } from '../../../src/contract/risk.ts';

/** One colour a level. `none` is grey, never green: missing evidence does not mean safe. */
export const levelColour = (level: Level): string =>
  ({ none: 'gray', low: 'blue.8', medium: 'orange.6', high: 'red.7' })[level];

export const stateColour = (state: EvidenceState, level: Level): string =>
  state === 'active' ? levelColour(level) : 'gray';

/** Sentence key of the headline: the one message for a quick reader. */
export const headlineOf = (state: EvidenceState, level: Level): 'high' | 'medium' | 'low' | 'stale' | 'none' =>
  state === 'active' ? (level === 'none' ? 'low' : level) : state;

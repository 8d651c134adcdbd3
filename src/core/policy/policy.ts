import type { Level, ShareTier, Signal } from '../../contract/risk.ts';
import type { Prefix } from '../ip/address.ts';
import { type AddressRange, byFamily } from '../ip/address-set.ts';

export const ACTIONS = ['allow', 'challenge', 'deny'] as const;
export type Action = (typeof ACTIONS)[number];

/** The least score of an action. `never` rules the action out for scores. */
export type Bound = Exclude<Level, 'none'> | 'never' | number;

/** A policy as people write it (docs/enforcement.md). An absent field has the value of `DEFAULT_POLICY`. */
export interface PolicyDocument {
  readonly deny: Bound;
  readonly challenge: Bound;
  /** The strictest action on addresses that so many share by their network. */
  readonly tiers: Readonly<Record<ShareTier, Action>>;
  /** The action on a Tor exit with active evidence, whatever its score is. */
  readonly tor: Action;
  /** The mildest action while a signal fires. `allow` ends the question, whatever the score is. */
  readonly signals: Readonly<Partial<Record<Signal, Action>>>;
  readonly allow: readonly string[];
  /** The action is reported and never taken. */
  readonly observe: boolean;
  readonly fail: 'open' | 'closed';
}

export interface Policy {
  readonly document: PolicyDocument;
  readonly denyFrom: number;
  readonly challengeFrom: number;
  /** Plain data: a key and its policy are sent from thread to thread. */
  readonly allowed: Readonly<Record<4 | 6, readonly AddressRange[]>>;
}

const DEFAULTS: PolicyDocument = {
  deny: 'high',
  challenge: 'medium',
  tiers: { T0: 'deny', T1: 'deny', T2: 'challenge', T3: 'challenge' },
  tor: 'challenge',
  signals: {},
  allow: [],
  observe: false,
  fail: 'open',
};

const LEVEL_SCORES = { low: 1, medium: 30, high: 70, never: Number.POSITIVE_INFINITY } as const;

const scoreFrom = (bound: Bound): number => (typeof bound === 'number' ? bound : LEVEL_SCORES[bound]);

export function policyOf(document: PolicyDocument, prefixes: readonly Prefix[]): Policy {
  const sets = byFamily(prefixes);
  return {
    document,
    denyFrom: scoreFrom(document.deny),
    challengeFrom: scoreFrom(document.challenge),
    allowed: { 4: sets[4].ranges, 6: sets[6].ranges },
  };
}

export const DEFAULT_POLICY = policyOf(DEFAULTS, []);

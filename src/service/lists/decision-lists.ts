import type { Readable } from 'node:stream';
import type { BouncerBounds } from '../../core/lists/bouncer-bounds.ts';
import type { DecisionFilter } from '../../core/lists/decision-json.ts';
import type { PolicyDocument } from '../../core/policy/policy.ts';

export interface DecisionQuery {
  readonly keyId: string;
  readonly bounds: BouncerBounds;
  /** The policy of the key; undefined for the default. */
  readonly policy: PolicyDocument | undefined;
  /** The operator's own edge asks, where sources count that may not be passed on. */
  readonly isOwn: boolean;
  readonly exclude: readonly string[];
  readonly filter: DecisionFilter;
  /**
   * `all` is the list of this moment, or of a range; `startup` begins a client's stream, and `changes`
   * continues it.
   */
  readonly ask: 'all' | 'startup' | 'changes';
  readonly range?: string;
}

export interface DecisionAnswer {
  readonly content: Readable;
  readonly bytes: number;
  /** Number of sources whose evidence does not count, because they may not be passed on. */
  readonly leftOut: number;
  /**
   * Call it once the content was sent or the client is gone: the next changes are those since the last
   * delivered answer.
   */
  close(isDelivered: boolean): Promise<void>;
}

export interface DecisionLists {
  ask(query: DecisionQuery): Promise<DecisionAnswer>;
}

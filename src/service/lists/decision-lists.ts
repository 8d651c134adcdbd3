import type { Readable } from 'node:stream';
import type { BouncerBounds } from '../../core/lists/bouncer-bounds.ts';
import type { DecisionFilter } from '../../core/lists/decision-json.ts';

export interface DecisionQuery {
  /** Id of the key whose client asks. */
  readonly key: string;
  readonly bounds: BouncerBounds;
  /** True for the operator's own edge, where sources count that may not be passed on. */
  readonly isOwn: boolean;
  /** Prefixes about which there are no decisions. */
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
  /** JSON of the answer. */
  readonly content: Readable;
  readonly bytes: number;
  /** Sources whose evidence does not count, because they may not be passed on. */
  readonly leftOut: number;
  /** Call it once the content was sent, or not: the next changes are those since the last one delivered. */
  close(isDelivered: boolean): Promise<void>;
}

/** Decisions of bouncers, made outside the thread that answers. */
export interface DecisionLists {
  ask(query: DecisionQuery): Promise<DecisionAnswer>;
}

import type { EvidenceDelta } from '../../engine/evidence/evidence-delta.ts';

/**
 * Most rows, sources and pools kept beyond the image: about five times the bound at which the compiling node
 * makes a new one, and 150 MB with a thread's copy.
 */
const MOST_ENTRIES = 1_500_000;

/**
 * Bounds the changes that a node and each of its threads hold beyond their image. A node that cannot compile
 * can only stop at the bound; otherwise captures would fill its memory.
 */
export class DeltaBounds {
  readonly #most: number;
  #kept: { readonly sequence: number; readonly entries: number }[] = [];

  constructor(most = MOST_ENTRIES) {
    this.#most = most;
  }

  get full(): boolean {
    return this.#kept.reduce((sum, { entries }) => sum + entries, 0) >= this.#most;
  }

  note({ sequence, length, sources, pools }: EvidenceDelta): void {
    this.#kept.push({ sequence, entries: length + sources.length + pools.length });
  }

  /**
   * Reports an image in use that holds the batches up to this one. @param restart whether earlier changes no
   * longer count
   */
  include(sequence: number, restart: boolean): void {
    this.#kept = restart ? [] : this.#kept.filter((one) => one.sequence > sequence);
  }
}

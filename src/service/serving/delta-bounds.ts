import type { EvidenceDelta } from '../../engine/evidence/evidence-delta.ts';

/**
 * About five times the bound at which the compiling node makes a new image, and 150 MB with a thread's copy.
 */
const MOST_ENTRIES = 1_500_000;

/**
 * Bounds the changes that a node and its threads hold beyond their image. A node that cannot compile stops at
 * the bound; otherwise captures would fill its memory.
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

  include(sequence: number, restart: boolean): void {
    this.#kept = restart ? [] : this.#kept.filter((one) => one.sequence > sequence);
  }
}

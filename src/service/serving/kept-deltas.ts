import type { EvidenceDelta } from '../../engine/evidence/evidence-delta.ts';

/** Rows, sources and pools that are kept beyond the image: some five times the bound at which the compiling node makes another one; some 150 MB with a thread's copy of them. */
const MOST_ENTRIES = 1_500_000;

/**
 * How much a node and each of its threads hold beyond the image they stand on. A node that compiles nothing can do nothing about it but stop: where no new image
 * comes, captures would fill its memory.
 */
export class KeptDeltas {
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

  /** An image is in use that holds the batches up to this one. @param restart whether nothing of before counts any longer */
  include(sequence: number, restart: boolean): void {
    this.#kept = restart ? [] : this.#kept.filter((one) => one.sequence > sequence);
  }
}

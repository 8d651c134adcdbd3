import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import type { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import type { DataMessage } from '../../service/serving/data-state.ts';

/** Applying a row takes less than a microsecond, so a lookup waits about a millisecond for these. */
const ROWS_A_TURN = 2000;

type EvidenceMessage = Extract<DataMessage, { readonly type: 'evidence' | 'delta' }>;

/** Pieces are so small that requests are answered between them. */
export class EvidenceInTurns {
  readonly #changed: (isImage: boolean) => void;
  readonly #waiting: EvidenceMessage[] = [];
  #work: Generator<void> | undefined;
  #live: LiveEvidence;
  #rows = 0;

  /** @param changed called when a whole message has become visible; `isImage` if it was another image */
  constructor(live: LiveEvidence, changed: (isImage: boolean) => void) {
    this.#live = live;
    this.#changed = changed;
  }

  get live(): LiveEvidence {
    return this.#live;
  }

  take(message: EvidenceMessage): void {
    this.#waiting.push(message);
    if (this.#work !== undefined) return;
    this.#work = this.#inTurns();
    this.#turn(this.#work);
  }

  finish(): void {
    for (const work = this.#work; work !== undefined; ) {
      this.#rows = 0;
      if (work.next().done === true) break;
    }
    this.#work = undefined;
  }

  #turn(work: Generator<void>): void {
    if (work !== this.#work) return;
    this.#rows = 0;
    if (work.next().done === true) this.#work = undefined;
    else setImmediate(() => this.#turn(work));
  }

  *#inTurns(): Generator<void> {
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      if (message.type === 'delta') yield* this.#apply(this.#live, [message.delta]);
      else yield* this.#replace(message);
      this.#changed(message.type === 'evidence');
    }
  }

  /** The previous view serves until the one over the new image contains the same changes. */
  *#replace({ image, restart }: Extract<EvidenceMessage, { readonly type: 'evidence' }>): Generator<void> {
    const before = this.#live;
    const next = before.onImage(openEvidence(image), restart);
    if (next === undefined) return;
    if (!restart) yield* this.#apply(next, before.deltas);
    this.#live = next;
  }

  *#apply(live: LiveEvidence, deltas: LiveEvidence['deltas']): Generator<void> {
    for (const delta of deltas) {
      if (delta.sequence <= live.sequence) continue;
      const apply = live.beginDelta(delta);
      for (let left = delta.length; ; ) {
        const rows = ROWS_A_TURN - this.#rows;
        this.#rows += Math.min(rows, left);
        left -= rows;
        if (apply(rows)) break;
        yield;
      }
      if (this.#rows >= ROWS_A_TURN) yield;
    }
  }
}

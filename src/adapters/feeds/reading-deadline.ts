import { type Fault, fault, type Said } from '../../core/texts/said.ts';

/** The time one reading has in all: every attempt, pause, redirect and other name, and every file it consists of. */
export class ReadingDeadline {
  readonly #ms: number;
  readonly #endsAt: number;

  constructor(ms: number) {
    this.#ms = ms;
    this.#endsAt = performance.now() + ms;
  }

  get leftMs(): number {
    return Math.max(0, Math.ceil(this.#endsAt - performance.now()));
  }

  cut(before: Said | undefined): Fault {
    const seconds = Math.round(this.#ms / 100) / 10;
    return before === undefined
      ? fault('the reading was cut after {seconds} s', { seconds })
      : fault('the reading was cut after {seconds} s ({before})', { seconds, before });
  }
}

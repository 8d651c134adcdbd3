import { randomWords } from '../../test/support/random.ts';

/** Repeatable draws of the kinds a simulated world needs. */
export class Draw {
  readonly #words: () => number;

  constructor(seed: number) {
    this.#words = randomWords(seed);
  }

  /** 0 to `bound` - 1. */
  below(bound: number): number {
    return this.#words() % bound;
  }

  /** A 32-bit word. */
  word(): number {
    return this.#words();
  }

  /** 0 to 1, without 1. */
  unit(): number {
    return this.#words() / 2 ** 32;
  }

  chance(share: number): boolean {
    return this.unit() < share;
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low);
  }

  /** Time to the next event of a Poisson process. */
  wait(mean: number): number {
    return -mean * Math.log(1 - this.unit());
  }

  /** Moments of a Poisson process from one moment to another, ascending. */
  *moments(from: number, until: number, mean: number): Generator<number> {
    for (let at = from + this.wait(mean); at < until; at += this.wait(mean)) yield at;
  }
}

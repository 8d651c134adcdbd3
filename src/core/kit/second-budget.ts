/** So many in each second of a clock, and no more. */
export class SecondBudget {
  readonly #max: number;
  #second = Number.NEGATIVE_INFINITY;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @param at milliseconds of a clock that does not go back @returns false: nothing is left of this second */
  take(at: number): boolean {
    const second = Math.floor(at / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#taken = 0;
    }
    if (this.#taken >= this.#max) return false;
    this.#taken += 1;
    return true;
  }
}

/** Fixed-window counter with a limit. Windows begin at multiples of their length. */
export class WindowCount {
  readonly #windowMs: number;
  readonly #max: number;
  #window = Number.NEGATIVE_INFINITY;
  #taken = 0;

  constructor(windowMs: number, max: number) {
    this.#windowMs = windowMs;
    this.#max = max;
  }

  isFull(at: number): boolean {
    const window = Math.floor(at / this.#windowMs);
    if (window !== this.#window) {
      this.#window = window;
      this.#taken = 0;
    }
    return this.#taken >= this.#max;
  }

  take(at: number): boolean {
    if (this.isFull(at)) return false;
    this.#taken += 1;
    return true;
  }
}

/** A parser of outside bytes, as the fuzzer sees it. */
export interface FuzzTarget {
  readonly name: string;
  /** Sound inputs, from which broken ones are made. */
  readonly seeds: readonly Uint8Array[];
  /**
   * Reads one input and returns the result, for two readings of the same bytes to be compared. Asserts rules
   * of every reading.
   * @returns a promise where the parser reads a file
   * @throws anything but the error that `refuses` names is a fault
   */
  readonly read: (input: Buffer) => unknown;
  /** The errors with which this parser refuses an input. A parser that never throws leaves it out. */
  readonly refuses?: (error: Error) => boolean;
  /** Share of the cases of a run, 1 when left out: less for inputs of half a megabyte. */
  readonly share?: number;
  /**
   * Each reading has a process of its own: its work cannot be counted, and nothing of one reading is there in
   * the next.
   */
  readonly ownProcess?: true;
}

export const text = (value: string): Uint8Array => new TextEncoder().encode(value);

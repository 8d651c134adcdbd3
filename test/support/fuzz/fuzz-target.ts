export interface FuzzTarget {
  readonly name: string;
  readonly seeds: readonly Uint8Array[];
  /**
   * Reads one input and returns the result, which two readings of the same bytes must share. Asserts rules of
   * every reading.
   * @returns a promise where the parser reads a file
   * @throws anything but the error that `refuses` names is a fault
   */
  readonly read: (input: Buffer) => unknown;
  /** A parser that never throws leaves it out. */
  readonly refuses?: (error: Error) => boolean;
  /** Share of the cases of a run; default 1, less for inputs of half a megabyte. */
  readonly share?: number;
}

export const text = (value: string): Uint8Array => new TextEncoder().encode(value);

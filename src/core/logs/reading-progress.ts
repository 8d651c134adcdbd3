export interface ReadingProgress {
  readonly records: number;
  /** The share of the file that was read, 0 to 1; undefined where its size is unknown. */
  readonly share: number | undefined;
}

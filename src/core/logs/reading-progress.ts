/** How far the reading of a file of lines is. */
export interface ReadingProgress {
  readonly records: number;
  /** Part of the file that was read, 0 to 1; undefined: its size is not known. */
  readonly share: number | undefined;
}

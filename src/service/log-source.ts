/** How far a log was read: enough to find the place again when the file was renamed, copied or cut. */
export interface LogPosition {
  readonly inode: number;
  /** Bytes read, whole lines only. */
  readonly offset: number;
  /** SHA-256, in hexadecimal, of the first `headBytes` bytes of the file. */
  readonly head: string;
  readonly headBytes: number;
  /** When the file was last written, as far as it was read; Unix milliseconds. */
  readonly modifiedAt: number;
}

export interface LogChunk {
  readonly lines: readonly string[];
  /** Behind the last of them. */
  readonly position: LogPosition;
}

/** Port: a log that grows, is renamed and begun again, or copied and cut. */
export interface LogSource {
  /** The next whole lines, in their order, none when a file was begun; undefined: there are none yet. @throws what the disk throws */
  read(): Promise<LogChunk | undefined>;
  close(): Promise<void>;
}

/** Port: where the position is kept over restarts. */
export interface LogPositionStore {
  load(): Promise<LogPosition | undefined>;
  /** Returns when it survives a crash. */
  save(position: LogPosition): Promise<void>;
}

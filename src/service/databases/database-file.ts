import type { Readable } from 'node:stream';
import type { UnixMs } from '../../core/units.ts';

export interface DatabaseFile {
  readonly edition: string;
  /** Updaters compare this digest of the file before it is packed. */
  readonly md5: string;
  readonly bytes: number;
  readonly packedBytes: number;
  readonly builtAt: UnixMs;
  open(): Readable;
}

/**
 * Finds the current file of an edition, and makes a missing or old one. `in_making` means that this takes
 * longer than a request may wait; `withheld` means that others may not have it.
 * @param isOperator whether sources and names count that stay with the operator
 */
export type FindDatabase = (edition: string, isOperator: boolean) => Promise<DatabaseFile | 'in_making' | 'withheld'>;

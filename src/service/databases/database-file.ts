import type { Readable } from 'node:stream';
import type { UnixMs } from '../../core/units.ts';

/** An MMDB file that is offered to updaters, packed with gzip. */
export interface DatabaseFile {
  readonly edition: string;
  /** Digest of the file before it is packed, as updaters compare it. */
  readonly md5: string;
  readonly bytes: number;
  readonly packedBytes: number;
  readonly builtAt: UnixMs;
  open(): Readable;
}

/**
 * Finds the current file of an edition, and makes it where it is missing or old. `in_making` means that it
 * takes longer than a request may wait; `withheld`, that others may not have it.
 * @param isOperator whether sources and names count that stay with the operator
 */
export type FindDatabase = (edition: string, isOperator: boolean) => Promise<DatabaseFile | 'in_making' | 'withheld'>;

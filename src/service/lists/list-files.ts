import type { Readable } from 'node:stream';
import type { ListFormat, ListOptions } from '../../contract/lists.ts';
import type { UnixMs } from '../../core/units.ts';

export interface ListQuery {
  /** Name of the sets that an nft file makes. */
  readonly name: string;
  readonly settings: ListOptions;
  readonly format: ListFormat;
  /** Without comments, in formats that have them. */
  readonly isPlain: boolean;
  readonly isPacked: boolean;
  /** True for the operator's own edge, where sources count that may not be passed on. */
  readonly isOwn: boolean;
  /** Prefixes that the account allows. */
  readonly allowed: readonly string[];
  /** The list as it stood at this instant. */
  readonly at?: UnixMs;
  /** The changes since this instant, by the settings of now. */
  readonly since?: UnixMs;
  /** Prefixes that the account allowed at that instant. */
  readonly allowedThen?: readonly string[];
}

/** A list as a file, packed if that was asked for. */
export interface ListFile {
  /** Digest of what it says, without its moment. */
  readonly digest: string;
  /** When it began to say so. */
  readonly modifiedAt: UnixMs;
  readonly prefixes: number;
  /** Prefixes left out because sources may not be passed on. */
  readonly leftOut: number;
  readonly degraded: boolean;
  /** Opens the file as it is now. */
  open(): Promise<{ readonly content: Readable; readonly bytes: number }>;
}

/** Lists as files, made outside the thread that answers. */
export interface ListFiles {
  find(query: ListQuery): Promise<ListFile>;
}

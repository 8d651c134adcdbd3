import type { Readable } from 'node:stream';
import type { ListFormat, ListOptions } from '../../contract/lists.ts';
import type { UnixMs } from '../../core/units.ts';

export interface ListQuery {
  readonly name: string;
  readonly settings: ListOptions;
  readonly format: ListFormat;
  readonly isWithoutComments: boolean;
  readonly isPacked: boolean;
  readonly isOwn: boolean;
  readonly allowed: readonly string[];
  readonly at?: UnixMs;
  /** The answer holds the changes since this instant, by the settings of now. */
  readonly since?: UnixMs;
  readonly allowedSince?: readonly string[];
}

export interface ListFile {
  readonly digest: string;
  /** The content has been the same since then. */
  readonly modifiedAt: UnixMs;
  readonly prefixes: number;
  readonly total: number;
  /** Number of prefixes left out because sources may not be passed on. */
  readonly leftOut: number;
  readonly degraded: boolean;
  open(): Promise<{ readonly content: Readable; readonly bytes: number }>;
}

export interface ListFiles {
  find(query: ListQuery): Promise<ListFile>;
}

/** One file of the built site, held in memory with its compressed forms. */
export interface SiteFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzip: Buffer | undefined;
  readonly brotli: Buffer | undefined;
  /** The name carries a hash of the content, so it may be cached forever. */
  readonly immutable: boolean;
  readonly etag: string;
}

/** The built site: the document that all pages share, and its files by path. */
export interface Site {
  readonly document: string;
  readonly files: ReadonlyMap<string, SiteFile>;
}

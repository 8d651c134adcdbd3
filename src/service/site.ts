export interface SiteFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzip: Buffer | undefined;
  readonly brotli: Buffer | undefined;
  readonly immutable: boolean;
  readonly etag: string;
}

export interface Site {
  readonly document: string;
  readonly files: ReadonlyMap<string, SiteFile>;
}

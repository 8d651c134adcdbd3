import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns whether a client has this version already (RFC 9110, 13.1). Entity tags are compared weakly and
 * before the date.
 */
export function hasVersion(
  { 'if-none-match': tags, 'if-modified-since': since }: IncomingHttpHeaders,
  etag: string,
  modifiedAt: number,
): boolean {
  if (tags !== undefined) return tags.trim() === '*' || tags.split(',').some((tag) => opaque(tag) === opaque(etag));
  return since !== undefined && Math.floor(modifiedAt / 1000) * 1000 <= Date.parse(since);
}

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

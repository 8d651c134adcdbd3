/** Content of the key headers of one request. `differs`: both were sent and are not the same. */
export type SentKey =
  | { readonly status: 'none' }
  | { readonly status: 'sent'; readonly secret: string }
  | { readonly status: 'differs' };

const NONE: SentKey = { status: 'none' };
const DIFFERS: SentKey = { status: 'differs' };

/** The key a request carries, in either header (decisions 5.1); an empty header does not count as one. */
export function sentKey(apiKey: string | undefined, authorization: string | undefined): SentKey {
  const header = apiKey === undefined ? '' : apiKey.trim();
  const bearer = authorization === undefined ? '' : bearerOf(authorization);
  if (header === '') return bearer === '' ? NONE : { status: 'sent', secret: bearer };
  if (bearer !== '' && bearer !== header) return DIFFERS;
  return { status: 'sent', secret: header };
}

/** The credential of a Bearer header; empty for other schemes. The scheme's case does not matter (RFC 9110, 11.1). */
function bearerOf(authorization: string): string {
  const match = /^\s*bearer(?:\s+(.*))?$/i.exec(authorization);
  return match?.[1]?.trim() ?? '';
}

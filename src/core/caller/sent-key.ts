/** `differs`: both headers were sent with different keys. `misplaced`: a key in another form or header. */
export type SentKey =
  | { readonly status: 'none' }
  | { readonly status: 'sent'; readonly secret: string }
  | { readonly status: 'differs' }
  | { readonly status: 'misplaced' };

const NONE: SentKey = { status: 'none' };
const DIFFERS: SentKey = { status: 'differs' };
const MISPLACED: SentKey = { status: 'misplaced' };

/** Access tokens consist of word characters and dashes, so a key inside a text begins after another one. */
const INSIDE = /[^\w-]pk_\w/;

/** An empty header is ignored (decisions 5.1). */
export function sentKey(apiKey: string | undefined, authorization: string | undefined): SentKey {
  const header = apiKey === undefined ? '' : apiKey.trim();
  const bearer = authorization === undefined ? '' : bearerOf(authorization);
  if (header === '' && bearer === '') {
    if (authorization === undefined) return NONE;
    return /pk_\w/.test(`${authorization} ${basicPair(authorization)}`) ? MISPLACED : NONE;
  }
  if (header !== '' && bearer !== '' && bearer !== header) return DIFFERS;
  const secret = header === '' ? bearer : header;
  return INSIDE.test(secret) && !secret.startsWith('pk_') ? MISPLACED : { status: 'sent', secret };
}

/** Tells whether a header that is not for keys consists of one, such as `Key: pk_…`. */
export function isKeyElsewhere(headers: Readonly<Record<string, string | readonly string[] | undefined>>): boolean {
  for (const name in headers) {
    const value = headers[name];
    if (name !== 'cookie' && typeof value === 'string' && value.startsWith('pk_')) return true;
  }
  return false;
}

function bearerOf(authorization: string): string {
  const match = /^\s*bearer(?:\s+(.*))?$/i.exec(authorization);
  return match?.[1]?.trim() ?? '';
}

/** Accepts any user name; returns an empty text without an HTTP Basic header (RFC 7617). */
export function basicPassword(authorization: string | undefined): string {
  const pair = basicPair(authorization);
  return pair.slice(pair.indexOf(':') + 1).trim();
}

function basicPair(authorization: string | undefined): string {
  const encoded = /^\s*basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(authorization ?? '')?.[1];
  const digits = encoded?.replace(/={1,2}$/, '') ?? '';
  return digits === '' || digits.length % 4 === 1 ? '' : atob(digits);
}

/** `differs` means that both headers were sent with different keys. */
export type SentKey =
  | { readonly status: 'none' }
  | { readonly status: 'sent'; readonly secret: string }
  | { readonly status: 'differs' };

const NONE: SentKey = { status: 'none' };
const DIFFERS: SentKey = { status: 'differs' };

/** An empty header is ignored (decisions 5.1). */
export function sentKey(apiKey: string | undefined, authorization: string | undefined): SentKey {
  const header = apiKey === undefined ? '' : apiKey.trim();
  const bearer = authorization === undefined ? '' : bearerOf(authorization);
  if (header === '') return bearer === '' ? NONE : { status: 'sent', secret: bearer };
  if (bearer !== '' && bearer !== header) return DIFFERS;
  return { status: 'sent', secret: header };
}

function bearerOf(authorization: string): string {
  const match = /^\s*bearer(?:\s+(.*))?$/i.exec(authorization);
  return match?.[1]?.trim() ?? '';
}

/** Accepts any user name; returns an empty text without an HTTP Basic header (RFC 7617). */
export function basicPassword(authorization: string | undefined): string {
  const encoded = /^\s*basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(authorization ?? '')?.[1];
  const digits = encoded?.replace(/={1,2}$/, '') ?? '';
  if (digits === '' || digits.length % 4 === 1) return '';
  const text = atob(digits);
  return text.slice(text.indexOf(':') + 1).trim();
}

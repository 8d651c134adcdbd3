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

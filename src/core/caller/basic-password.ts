/** Accepts any user name; returns an empty text without an HTTP Basic header (RFC 7617). */
export function basicPassword(authorization: string | undefined): string {
  const encoded = /^\s*basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(authorization ?? '')?.[1];
  const digits = encoded?.replace(/={1,2}$/, '') ?? '';
  if (digits === '' || digits.length % 4 === 1) return '';
  const text = atob(digits);
  return text.slice(text.indexOf(':') + 1).trim();
}

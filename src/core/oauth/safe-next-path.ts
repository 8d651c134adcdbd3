/** Returns a path on this site, or undefined: browsers read several other spellings as another host. */
export function safeNextPath(next: unknown): string | undefined {
  if (typeof next !== 'string' || next.length > 1024) return undefined;
  if (!/^\/(?![/\\])[\x21\x23-\x3b\x3d\x3f-\x5b\x5d-\x7e]*$/.test(next)) return undefined;
  const base = 'https://same.invalid';
  const url = URL.parse(next, base);
  return url !== null && url.origin === base && !url.pathname.startsWith('//') ? next : undefined;
}

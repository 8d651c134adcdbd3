import { cookieValue } from '../../http/cookie-value.ts';

/** The console's session cookie. Under https its name carries `__Host-`, which makes browsers insist on Secure, Path=/ and no Domain (RFC 6265bis 4.1.3.2). */
export interface SessionCookie {
  readonly name: string;
  /** Value of the Set-Cookie header that signs in until `expiresAt` (milliseconds since 1970), seen from `at`. */
  set(token: string, at: number, expiresAt: number): string;
  /** Value of the Set-Cookie header that signs out. */
  clear(): string;
  /** The token in a Cookie header. The first of several, which is the one with the longest path; a cookie planted for another path loses against the database anyway. */
  read(header: string | undefined): string | undefined;
}

/** @param baseUrl public address; https decides about Secure */
export function sessionCookie(baseUrl: string): SessionCookie {
  const secure = baseUrl.startsWith('https:');
  const name = secure ? '__Host-pulse_session' : 'pulse_session';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return {
    name,
    set: (token, at, expiresAt) =>
      `${name}=${token}; Max-Age=${Math.max(0, Math.floor((expiresAt - at) / 1000))}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
    read: (header) => cookieValue(header, name),
  };
}

import { cookieValue } from '../../http/answer/cookie-value.ts';

/**
 * Session cookie of the console. Under https its name starts with `__Host-`, for which browsers require
 * Secure, Path=/ and no Domain (RFC 6265bis 4.1.3.2).
 */
export interface SessionCookie {
  readonly name: string;
  set(token: string, at: number, expiresAt: number): string;
  clear(): string;
  /**
   * Returns the token of the first such cookie, which has the longest path. A cookie planted for another path
   * matches no session.
   */
  read(header: string | undefined): string | undefined;
}

/** @param baseUrl public address; https adds Secure and `__Host-` */
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

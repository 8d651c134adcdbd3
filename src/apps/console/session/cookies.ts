import { cookieValue } from '../../http/answer/cookie-value.ts';

/**
 * Cookie that marks a browser as one that has signed in before (`DeviceTokens`). It grants nothing and
 * outlives sign-out.
 */
export interface DeviceCookie {
  /** Times are milliseconds since 1970; `at` is now. */
  set(device: { readonly token: string; readonly expiresAt: number }, at: number): string;
  read(header: string | undefined): string | undefined;
}

export function deviceCookie(baseUrl: string): DeviceCookie {
  const cookie = hostCookie(baseUrl, 'pulse_device');
  return { ...cookie, set: ({ token, expiresAt }, at) => cookie.set(token, (expiresAt - at) / 1000) };
}

interface HostCookie {
  readonly name: string;
  set(value: string, maxAgeSec: number): string;
  clear(): string;
  /**
   * Returns the value of the first such cookie, which has the longest path. An attacker who plants one for
   * another path gains nothing.
   */
  read(header: string | undefined): string | undefined;
}

/**
 * A cookie of this host alone, out of reach of scripts. Under https its name starts with `__Host-`, for which
 * browsers require Secure, Path=/ and no Domain (RFC 6265bis 4.1.3.2).
 * @param baseUrl public address; https adds Secure and `__Host-`
 */
export function hostCookie(baseUrl: string, plainName: string): HostCookie {
  const secure = baseUrl.startsWith('https:');
  const name = secure ? `__Host-${plainName}` : plainName;
  const set: HostCookie['set'] = (value, maxAgeSec) =>
    `${name}=${value}; Max-Age=${Math.max(0, Math.floor(maxAgeSec))}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return { name, set, clear: () => set('', 0), read: (header) => cookieValue(header, name) };
}

export interface SessionCookie extends Omit<HostCookie, 'set'> {
  /** Times are milliseconds since 1970; `at` is now. */
  set(token: string, at: number, expiresAt: number): string;
}

export function sessionCookie(baseUrl: string): SessionCookie {
  const cookie = hostCookie(baseUrl, 'pulse_session');
  return { ...cookie, set: (token, at, expiresAt) => cookie.set(token, (expiresAt - at) / 1000) };
}

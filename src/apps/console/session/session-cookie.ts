import { type HostCookie, hostCookie } from './host-cookie.ts';

export interface SessionCookie extends Omit<HostCookie, 'set'> {
  /** Times are milliseconds since 1970; `at` is now. */
  set(token: string, at: number, expiresAt: number): string;
}

export function sessionCookie(baseUrl: string): SessionCookie {
  const cookie = hostCookie(baseUrl, 'pulse_session');
  return { ...cookie, set: (token, at, expiresAt) => cookie.set(token, (expiresAt - at) / 1000) };
}

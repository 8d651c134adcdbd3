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

/** @param baseUrl public address; https adds Secure */
export function deviceCookie(baseUrl: string): DeviceCookie {
  const secure = baseUrl.startsWith('https:');
  const name = secure ? '__Host-pulse_device' : 'pulse_device';
  return {
    set: ({ token, expiresAt }, at) =>
      `${name}=${token}; Max-Age=${Math.max(0, Math.floor((expiresAt - at) / 1000))}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
    read: (header) => cookieValue(header, name),
  };
}

import { hostCookie } from './host-cookie.ts';

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

import { cookieValue } from '../../http/cookie-value.ts';

/** The cookie that marks a browser as one that has signed in before (`DeviceTokens`). It opens nothing and outlives sign-out. */
export interface DeviceCookie {
  /** Value of the Set-Cookie header that keeps `token` until `expiresAt` (milliseconds since 1970), seen from `at`. */
  set(device: { readonly token: string; readonly expiresAt: number }, at: number): string;
  /** The token in a Cookie header. */
  read(header: string | undefined): string | undefined;
}

/** @param baseUrl public address; https decides about Secure */
export function deviceCookie(baseUrl: string): DeviceCookie {
  const secure = baseUrl.startsWith('https:');
  const name = secure ? '__Host-pulse_device' : 'pulse_device';
  return {
    set: ({ token, expiresAt }, at) =>
      `${name}=${token}; Max-Age=${Math.max(0, Math.floor((expiresAt - at) / 1000))}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
    read: (header) => cookieValue(header, name),
  };
}

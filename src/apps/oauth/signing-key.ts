import { createECDH, hkdfSync } from 'node:crypto';

export interface SigningKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly alg: 'ES256';
  readonly use: 'sig';
  readonly kid: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/** Derives the key that the library requires. It signs nothing: tokens are opaque, and there is no openid. */
export function signingKey(secret: Uint8Array): SigningKey {
  for (let counter = 0; ; counter += 1) {
    const d = Buffer.from(hkdfSync('sha256', secret, '', `pulse oauth signing key ${counter}`, 32));
    const curve = createECDH('prime256v1');
    try {
      curve.setPrivateKey(d);
    } catch {
      continue; // one secret in 2^32 exceeds the order of the curve
    }
    const point = curve.getPublicKey();
    const part = (from: number): string => point.subarray(from, from + 32).toString('base64url');
    return {
      kty: 'EC',
      crv: 'P-256',
      alg: 'ES256',
      use: 'sig',
      kid: 'pulse',
      x: part(1),
      y: part(33),
      d: d.toString('base64url'),
    };
  }
}

export const cookieKey = (secret: Uint8Array): string =>
  Buffer.from(hkdfSync('sha256', secret, '', 'pulse oauth cookies', 32)).toString('base64url');

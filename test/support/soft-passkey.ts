/**
 * An authenticator in software has one ES256 key and attestation `none`. When asked to, it acts as no real
 * one does: its counter stands still, or its origin is another.
 */
import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { hotp } from '../../src/core/sign-in/match-totp.ts';

/** Returns the code that an authenticator shows for a secret in Base32, `steps` half minutes from then. */
export function authenticatorCode(secret: string, at: number, steps = 0): string {
  const bits = [...secret].map((digit) => BASE32.indexOf(digit).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  const hmac = (of: Uint8Array, message: Uint8Array): Buffer => createHmac('sha1', of).update(message).digest();
  return hotp(hmac, key, Math.floor(at / 30_000) + steps);
}
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export interface SoftPasskeyOptions {
  readonly origin: string;
  readonly rpId: string;
  readonly userVerified: boolean;
  readonly counter: number;
}

export class SoftPasskey {
  readonly id: Buffer = randomBytes(32);
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
  });
  readonly #with: SoftPasskeyOptions;

  constructor(baseUrl: string) {
    const { origin, hostname } = new URL(baseUrl);
    this.#with = { origin, rpId: hostname, userVerified: true, counter: 1 };
  }

  create({ challenge }: { readonly challenge: string }, changes: Partial<SoftPasskeyOptions> = {}): object {
    const options = { ...this.#with, ...changes };
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, this.#coseKey()]);
    const authData = Buffer.concat([authenticatorData(options, true), attested]);
    const attestationObject = Buffer.concat([
      head(5, 3),
      text('fmt'),
      text('none'),
      text('attStmt'),
      head(5, 0),
      text('authData'),
      head(2, authData.length),
      authData,
    ]);
    const response = {
      clientDataJSON: clientData('webauthn.create', challenge, options).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
    };
    return { ...this.#credential(), response: { ...response, transports: ['internal'] } };
  }

  get({ challenge }: { readonly challenge: string }, changes: Partial<SoftPasskeyOptions> = {}): object {
    const options = { ...this.#with, ...changes };
    const data = clientData('webauthn.get', challenge, options);
    const authData = authenticatorData(options, false);
    const signed = Buffer.concat([authData, createHash('sha256').update(data).digest()]);
    const signature = sign('sha256', signed, this.#keys.privateKey);
    const response = {
      clientDataJSON: data.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
    };
    return { ...this.#credential(), response };
  }

  #credential(): object {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {} };
  }

  /** EC2 key of ES256 on P-256 (RFC 9053 7.1.1). */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const coordinate = (value: string): Buffer => Buffer.concat([head(2, 32), Buffer.from(value, 'base64url')]);
    return Buffer.concat([
      head(5, 5),
      Buffer.from([0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      coordinate(x),
      Buffer.from([0x22]),
      coordinate(y),
    ]);
  }
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

function authenticatorData({ rpId, userVerified, counter }: SoftPasskeyOptions, attested: boolean): Buffer {
  const tail = Buffer.alloc(5);
  tail[0] = PRESENT | (userVerified ? VERIFIED : 0) | (attested ? ATTESTED : 0);
  tail.writeUInt32BE(counter, 1);
  return Buffer.concat([createHash('sha256').update(rpId).digest(), tail]);
}

const clientData = (type: string, challenge: string, { origin }: SoftPasskeyOptions): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

/** The first bytes of a CBOR item: 2 a byte string, 3 a text, 5 a map (RFC 8949 3). */
const head = (major: number, length: number): Buffer =>
  length < 24
    ? Buffer.from([(major << 5) | length])
    : length < 256
      ? Buffer.from([(major << 5) | 24, length])
      : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)]);

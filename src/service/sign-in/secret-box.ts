import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts small secrets with AES-256-GCM and binds them to their row: a copy in another row does not open. */
export class SecretBox {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #newest: string;

  /** @param keys 32 bytes each; the first seals, all open */
  constructor(keys: readonly [Uint8Array, ...Uint8Array[]]) {
    this.#keys = new Map(keys.map((key) => [keyName(key), key]));
    this.#newest = keyName(keys[0]);
  }

  /** @returns `v1.<key>.<nonce, ciphertext and tag in base64url>` */
  seal(secret: Uint8Array, bound: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#keys.get(this.#newest)!, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(bound));
    const sealed = Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
    return `v1.${this.#newest}.${sealed.toString('base64url')}`;
  }

  /** @throws Error if the text was altered, belongs to another row, or was sealed with an unknown key */
  open(text: string, bound: string): Uint8Array {
    const [version, name = '', body = ''] = text.split('.');
    const key = this.#keys.get(name);
    if (version !== 'v1' || key === undefined)
      throw new Error(
        'a second factor was stored with another PULSE_SECRET; `pulse account reset-factors ID` removes it',
      );
    const bytes = Buffer.from(body, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(bound));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES)), decipher.final()]);
  }
}

const keyName = (key: Uint8Array): string =>
  createHash('sha256').update('pulse secret box ').update(key).digest('base64url').slice(0, 8);

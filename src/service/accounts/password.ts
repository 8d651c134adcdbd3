import { argon2, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);

/**
 * Cost of new hashes: 19 MiB, two passes, one lane (OWASP's argon2id minimum, about 35 ms). Each hash stores
 * its own cost, so this can be raised.
 */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const TAG_BYTES = 32;
const SALT_BYTES = 16;

const MIN_PASSWORD_LENGTH = 10;
const MAX_PASSWORD_LENGTH = 256;

type PasswordFault = 'too_short' | 'too_long' | 'too_plain';

/**
 * Returns undefined for an acceptable password. NIST SP 800-63B 3.1.1.2 advises rules of length, not of
 * composition.
 */
export function checkNewPassword(password: string, email: string): PasswordFault | undefined {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) return 'too_short';
  if (length > MAX_PASSWORD_LENGTH) return 'too_long';
  const lower = password.toLowerCase();
  if (new Set(lower).size < 4 || lower === email.toLowerCase() || PLAIN.test(lower)) return 'too_plain';
  return undefined;
}

/**
 * Matches the shapes that fill every list of leaked passwords: a common word amid digits or marks, or a
 * keyboard run.
 */
const PLAIN =
  /^[\W\d]*?(password|passw0rd|qwertyuiop|qwerty|iloveyou|letmein|welcome|administrator|admin|changeme|1q2w3e4r5t|1q2w3e4r|123456789|987654321)+[\W\d]*$/;

/** Each hash takes 19 MiB and a thread of the pool. */
type Run = HashPlace['run'];
const atOnce: Run = (work) => work();

export async function hashPassword(password: string, run: Run = atOnce): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await run(() =>
    derive('argon2id', { message: bytesOf(password), nonce: salt, tagLength: TAG_BYTES, ...COST }),
  );
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/**
 * Compares in constant time. A missing `stored` (no account, or no password) costs the same work and returns
 * false, so that timing does not reveal who has an account.
 */
export async function verifyPassword(
  password: string,
  stored: string | null | undefined,
  run: Run = atOnce,
): Promise<boolean> {
  const parsed = parsePhc(stored ?? ABSENT);
  if (parsed === undefined || [...password].length > MAX_PASSWORD_LENGTH) return false;
  const { salt, tag, ...cost } = parsed;
  const found = await run(() =>
    derive('argon2id', { message: bytesOf(password), nonce: salt, tagLength: tag.length, ...cost }),
  );
  return timingSafeEqual(found, tag) && stored !== null && stored !== undefined;
}

/** A hash that no password has, at the present cost. */
const ABSENT = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

interface Phc {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

function parsePhc(text: string): Phc | undefined {
  const match =
    /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/.exec(
      text,
    );
  if (match === null) return undefined;
  return {
    memory: Number(match[1]),
    passes: Number(match[2]),
    parallelism: Number(match[3]),
    salt: Buffer.from(match[4]!, 'base64'),
    tag: Buffer.from(match[5]!, 'base64'),
  };
}

/** Normalises a password as NIST SP 800-63B asks, so that its bytes do not depend on the keyboard. */
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize('NFKC'), 'utf8');
const unpadded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

export interface HashPlace {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Must be called exactly once, also after a failure. */
  leave(): void;
}

/**
 * Bounds the password hashes of the whole process: those that run and those that wait. `enter`: returns undefined
 * when the queue is full. It is called before the database is asked, so that a refusal costs nothing.
 */
export interface HashGate {
  enter(): HashPlace | undefined;
}

/**
 * Computes the stored form of a key: HMAC-SHA256 under a secret of the deployment, so that a copied database
 * does not allow guesses to be tested.
 */
export interface KeyHasher {
  hash(key: string): string;
}

const BLOCK = 64;
const DIGEST = 32;

/**
 * HMAC-SHA256 built on the one-shot hash, which takes half the time of `createHmac`.
 * @param secret 1 to 64 bytes
 */
export function keyHasher(secret: Uint8Array): KeyHasher {
  if (secret.length === 0 || secret.length > BLOCK)
    throw new RangeError('the secret of a key hasher has 1 to 64 bytes');
  const padded = Buffer.alloc(BLOCK);
  padded.set(secret);
  const inner = Buffer.alloc(BLOCK + MAX_KEY);
  const outer = Buffer.alloc(BLOCK + DIGEST);
  for (let at = 0; at < BLOCK; at += 1) {
    inner[at] = padded[at]! ^ 0x36;
    outer[at] = padded[at]! ^ 0x5c;
  }
  return {
    hash(key) {
      if (key.length > MAX_KEY) throw new RangeError('not a key');
      const length = inner.write(key, BLOCK, 'latin1');
      outer.set(hash('sha256', inner.subarray(0, BLOCK + length), 'buffer'), BLOCK);
      return hash('sha256', outer, 'base64url');
    },
  };
}

/** Every key is shorter; callers check the form first. */
const MAX_KEY = 128;

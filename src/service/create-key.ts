import { randomBytes } from 'node:crypto';
import type { ApiKey } from '../core/caller/caller.ts';
import { isPlainName } from '../core/caller/is-plain-name.ts';
import { KEY_RANDOM_BYTES, keyPrefix, spellKey } from '../core/caller/key-text.ts';
import type { UnixMs } from '../core/units.ts';
import type { AccountStore, By } from './account-store.ts';
import type { KeyHasher } from './key-hasher.ts';
import { newId } from './new-id.ts';
import { Problem } from './problem.ts';

export interface KeyWish {
  readonly accountId: string;
  readonly name?: string;
  /** Look-ups a day this key may make; absent: as many as its account. */
  readonly perDay?: number;
  readonly expiresAt?: UnixMs;
  /** False: the key may not use the phone capability even if its account may. Default true. */
  readonly phone?: boolean;
}

const MAX_NAME = 100;

/**
 * Makes a key. The text is returned here and nowhere else: only its keyed hash and its prefix are kept.
 * @throws Problem not_found for an unknown account, bad_request for a name that is too long or holds characters that are not seen
 */
export async function createKey(store: AccountStore, hasher: KeyHasher, wish: KeyWish, by: By): Promise<{ readonly key: ApiKey; readonly secret: string }> {
  const name = (wish.name ?? '').trim();
  if (name.length > MAX_NAME) throw new Problem('bad_request', { message: `The name of a key has at most ${MAX_NAME} characters.` });
  if (!isPlainName(name)) throw new Problem('bad_request', { message: 'The name of a key may not hold control characters or others that are not seen.' });
  const secret = spellKey(randomBytes(KEY_RANDOM_BYTES));
  const key = await store.createKey(
    {
      id: newId('key', randomBytes),
      accountId: wish.accountId,
      name,
      hash: hasher.hash(secret),
      prefix: keyPrefix(secret),
      phone: wish.phone ?? true,
      ...(wish.perDay === undefined ? {} : { perDay: wish.perDay }),
      ...(wish.expiresAt === undefined ? {} : { expiresAt: wish.expiresAt }),
    },
    by,
  );
  if (key === 'unknown_account') throw new Problem('not_found', { message: `There is no account ${JSON.stringify(wish.accountId)}.` });
  return { key, secret };
}

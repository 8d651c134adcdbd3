import { randomBytes } from 'node:crypto';
import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import type { ApiKey } from '../../core/caller/caller.ts';
import { formatKey, isPlainName, KEY_RANDOM_BYTES, keyPrefix } from '../../core/caller/sent-key.ts';
import type { SourceNameFault } from '../../core/collection/beacon.ts';
import { type EvidenceRight, SENSOR_KINDS, type SendLimits } from '../../core/collection/source-limits.ts';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import type { BouncerBounds } from '../../core/lists/bouncer-bounds.ts';
import { said } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import { newId } from '../new-id.ts';
import { Problem } from '../problem.ts';
import type { AccountStore, By, KeyCaps, KeysAtCap } from './account-store.ts';
import type { KeyHasher } from './password.ts';

/**
 * - `phone`: false withholds the phone capability that the account may have, which keys of sensors and bouncers never
 *   have. Default true.
 * - `sends`: a key that sends or writes `evidence` must belong to an operator's account.
 */
export interface KeyOptions {
  readonly accountId: string;
  readonly name?: string;
  readonly perDay?: number;
  readonly expiresAt?: UnixMs;
  readonly phone?: boolean;
  readonly sends?: SendLimits;
  readonly evidence?: EvidenceRight;
  readonly bouncer?: BouncerBounds;
}

const MAX_NAME = 100;
const CAPS: KeyCaps = { active: ACCOUNT_CAPS.activeKeys, ever: ACCOUNT_CAPS.keysEver, anHour: ACCOUNT_CAPS.keysAnHour };
const CAP_MESSAGES: Readonly<Record<keyof KeyCaps, string>> = {
  active: `An account has at most ${CAPS.active} active keys; revoke one first.`,
  ever: `An account makes at most ${CAPS.ever} keys; ask the operator for more.`,
  anHour: `An account makes at most ${CAPS.anHour} keys an hour.`,
};

/**
 * Creates a key. Its text exists only in the return value: the store keeps a keyed hash and a prefix.
 * @throws Problem not_found for an unknown account; bad_request for a refused name, or for an evidence key of
 * an account that is not an operator's; bad_request or, if waiting helps, rate_limited at a cap, which does
 * not bind the command line
 */
export async function createKey(
  store: AccountStore,
  hasher: KeyHasher,
  options: KeyOptions,
  by: By,
): Promise<{ readonly key: ApiKey; readonly secret: string }> {
  const name = (options.name ?? '').trim();
  if (name.length > MAX_NAME)
    throw new Problem('bad_request', {
      message: said('The name of a key has at most {max} characters.', { max: MAX_NAME }),
    });
  if (!isPlainName(name))
    throw new Problem('bad_request', {
      message: said('The name of a key may not hold control characters or others that are not seen.'),
    });
  const { sends, evidence, bouncer } = options;
  if (sends !== undefined || evidence !== undefined) await requireOperatorAccount(store, options.accountId);
  const secret = formatKey(randomBytes(KEY_RANDOM_BYTES));
  const key = await store.createKey(
    {
      id: newId('key', randomBytes),
      accountId: options.accountId,
      name,
      hash: hasher.hash(secret),
      prefix: keyPrefix(secret),
      phone: sends === undefined && bouncer === undefined && (options.phone ?? true),
      ...(sends === undefined ? {} : { sends }),
      ...(evidence === undefined ? {} : { evidence }),
      ...(bouncer === undefined ? {} : { bouncer }),
      ...(options.perDay === undefined ? {} : { perDay: options.perDay }),
      ...(options.expiresAt === undefined ? {} : { expiresAt: options.expiresAt }),
    },
    by,
    by.actor === 'cli' ? undefined : CAPS,
  );
  if (key === 'unknown_account')
    throw new Problem('not_found', {
      message: said('There is no account {id}.', { id: JSON.stringify(options.accountId) }),
    });
  if ('atCap' in key) throw capProblem(key, by.at);
  return { key, secret };
}

export function sendLimits(
  source: unknown,
  nameFault: SourceNameFault,
  kinds: unknown = SENSOR_KINDS,
  prefixes: unknown = false,
): SendLimits {
  if (typeof source !== 'string')
    throw new Problem('bad_request', {
      message: said('A send-only key has a source, under whose name alone it speaks.'),
    });
  const fault = nameFault(source);
  if (fault !== undefined) throw new Problem('bad_request', { message: fault });
  const isKind = (kind: unknown): kind is RiskType => (RISK_TYPES as readonly unknown[]).includes(kind);
  if (!Array.isArray(kinds) || kinds.length === 0 || !kinds.every(isKind))
    throw new Problem('bad_request', {
      message: said('The kinds of a send-only key are one or more of {kinds}.', { kinds: RISK_TYPES.join(', ') }),
    });
  if (typeof prefixes !== 'boolean') throw new Problem('bad_request', { message: 'prefixes must be true or false.' });
  return { source, kinds: [...new Set(kinds)], prefixes };
}

export function evidenceRight(evidence: unknown = false, networks: unknown = false): EvidenceRight | undefined {
  if (typeof evidence !== 'boolean' || typeof networks !== 'boolean')
    throw new Problem('bad_request', { message: 'evidence and networks must be true or false.' });
  if (networks && !evidence)
    throw new Problem('bad_request', { message: 'The right to networks needs the right to evidence.' });
  return networks ? 'networks' : evidence ? 'addresses' : undefined;
}

async function requireOperatorAccount(store: AccountStore, id: string): Promise<void> {
  const account = await store.account(id);
  if (account !== undefined && !account.operator)
    throw new Problem('bad_request', {
      message: said('Only keys of operator accounts may send evidence.'),
    });
}

function capProblem({ atCap, freeAt }: KeysAtCap, at: UnixMs): Problem {
  if (freeAt === undefined) return new Problem('bad_request', { message: CAP_MESSAGES[atCap] });
  return new Problem('rate_limited', {
    message: CAP_MESSAGES[atCap],
    extras: { retry_after: Math.max(1, Math.ceil((freeAt - at) / 1000)) },
  });
}

/** Revokes a key, on every node within two seconds. @param accountId restricts it to that account's keys */
export async function revokeKey(store: AccountStore, id: string, by: By, accountId?: string): Promise<ApiKey> {
  const key = await store.revokeKey(id, by, accountId);
  if (key === 'unknown_key')
    throw new Problem('not_found', { message: said('There is no key {id}.', { id: JSON.stringify(id) }) });
  return key;
}

export async function revokeKeys(
  store: Pick<AccountStore, 'keys' | 'revokeKey'>,
  accountId: string,
  by: By,
): Promise<void> {
  for (const { id, revokedAt } of await store.keys(accountId))
    if (revokedAt === undefined) await store.revokeKey(id, by, accountId);
}

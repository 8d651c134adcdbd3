import type { ConsoleFactors } from '../../contract/console.ts';
import type { StoredAccount } from '../../service/accounts/account-store.ts';
import type { StoredFactor } from '../../service/accounts/second-factor-store.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { FactorsStatus } from '../../service/sign-in/second-factors.ts';

/** The owner's view of the second factors: names and times, but no secret. */
export function factorsDocument(
  { totp, passkeys, recoveryCodesLeft, passkeysWork }: FactorsStatus,
  { requireFactor }: Pick<StoredAccount, 'requireFactor'>,
): ConsoleFactors {
  return {
    ...(totp === undefined ? {} : { totp: factorDocument(totp) }),
    passkeys: passkeys.map(factorDocument),
    recovery_codes_left: recoveryCodesLeft,
    passkeys_work: passkeysWork,
    required: requireFactor === true,
  };
}

const factorDocument = ({ id, name, createdAt, lastUsedAt }: StoredFactor): ConsoleFactors['passkeys'][number] => ({
  id,
  name,
  created_at: isoTime(createdAt),
  ...(lastUsedAt === undefined ? {} : { last_used_at: isoTime(lastUsedAt) }),
});

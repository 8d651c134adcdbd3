import type { ConsoleFactorAsked } from '../../../contract/console.ts';
import { isoTime } from '../../../service/iso-time.ts';
import type { FactorAsked } from '../../../service/sign-in/second-factors.ts';

export const factorAskedDocument = ({ step, expiresAt, totp, passkey }: FactorAsked): ConsoleFactorAsked => ({
  step,
  expires_at: isoTime(expiresAt),
  totp,
  ...(passkey === undefined ? {} : { passkey }),
});

import type { StoredAccount } from '../../service/accounts/account-store.ts';
import { say } from '../language/say.ts';

export const limitsText = ({ perMin, perDay }: Pick<StoredAccount, 'perMin' | 'perDay'>): string =>
  say('{perMin}/min  {perDay}/day', { perMin, perDay });

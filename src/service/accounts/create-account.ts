import { randomBytes } from 'node:crypto';
import { said } from '../../core/texts/said.ts';
import { newId } from '../new-id.ts';
import { Problem } from '../problem.ts';
import type { AccountStore, By, NewAccount, StoredAccount } from './account-store.ts';
import { checkNewPassword, hashPassword } from './password.ts';

export interface AccountOptions {
  readonly email: string;
  readonly password?: string;
  readonly plan?: string;
  readonly dpa?: boolean;
  readonly phone?: boolean;
  readonly operator?: boolean;
}

export const defaultOptions = ({
  operator,
}: {
  readonly operator: boolean;
}): Pick<NewAccount, 'plan' | 'dpa' | 'phone' | 'operator'> =>
  operator
    ? { plan: 'private', dpa: true, phone: true, operator }
    : { plan: 'free', dpa: false, phone: false, operator };

/** Creates an account on behalf of an operator, who vouches for its address. @throws Problem bad_request */
export async function createAccount(store: AccountStore, options: AccountOptions, by: By): Promise<StoredAccount> {
  const email = checkEmail(options.email);
  if (options.password !== undefined) checkPassword(options.password, email);
  const { password: _, ...chosen } = options;
  const made = await store.createAccount(
    {
      id: newId('acc', randomBytes),
      verified: true,
      ...defaultOptions({ operator: options.operator ?? false }),
      ...chosen,
      email,
      ...(options.password === undefined ? {} : { passwordHash: await hashPassword(options.password) }),
    },
    by,
  );
  if (made === 'email_taken')
    throw new Problem('bad_request', { message: said('There is an account with this e-mail address already.') });
  if (made === 'unknown_plan') throw await unknownPlan(store, options.plan ?? '');
  return made;
}

export function checkPassword(password: string, email: string): void {
  const fault = checkNewPassword(password, email);
  if (fault !== undefined) throw new Problem('bad_request', { message: said(PASSWORD_FAULTS[fault]) });
}

export async function unknownPlan(store: AccountStore, plan: string): Promise<Problem> {
  const names = (await store.plans()).map(({ name }) => name).join(', ');
  return new Problem('bad_request', {
    message: said('There is no plan {plan}; there are: {names}.', { plan: JSON.stringify(plan), names }),
  });
}

/** Trims and lowercases. Only a mail server can check more than the form of an address. */
function checkEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (text !== text.normalize('NFKC') || email.length > 254 || !/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email))
    throw new Problem('bad_request', { message: said('The e-mail address is not one.') });
  return email;
}

const PASSWORD_FAULTS = {
  too_short: 'The password is too short: at least 10 characters.',
  too_long: 'The password is too long: at most 256 characters.',
  too_plain: 'The password is one of those that are tried first.',
} as const;

import { createInterface } from 'node:readline/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { printable } from '../../core/texts/printable.ts';
import {
  type AccountOptions,
  createAccount,
  deleteAccount,
  resetFactors,
  setAccount,
  setPassword,
} from '../../service/accounts/account.ts';
import type { AccountChanges, StoredAccount } from '../../service/accounts/account-store.ts';
import { say } from '../language/say.ts';
import { limitsText, wholeNumber } from '../options/option-values.ts';
import { type AsJson, print } from '../terminal/print.ts';
import { type PasswordOptions, readPassword, withPasswordOptions } from '../terminal/read-password.ts';
import { byCli, withAccounts } from '../with-accounts.ts';

/**
 * `pulse account create|set|list|delete` (decisions 8 and 10.10), and `password`, an addition: without mail
 * an owner who forgot his can turn only to the operator.
 */
export function register(program: Command): void {
  const account = program.command('account').description('accounts, their plans and limits');
  withPasswordOptions(
    account
      .command('create')
      .description('make an account')
      .requiredOption('--email <email>', 'address of the account, unique'),
    'for signing in on the site; without this option, keys only',
  )
    .option('--plan <plan>', 'free, professional, enterprise, private, or one of your own (default: free)')
    .option('--dpa', 'a data-processing agreement is in force: exact evidence times are shown')
    .option('--phone', 'switch the phone capability on (plans that can hold it)')
    .option('--operator', 'may see and change every account on the site')
    .option('--json', 'print JSON')
    .action(create);
  account
    .command('set')
    .description('change an account; limits given here take precedence over those of its plan')
    .argument('<id>', 'account id')
    .option('--plan <plan>', 'plan the account is on')
    .option('--per-min <n>', 'lookups per minute, or "plan" for what the plan says', limit)
    .option('--per-day <n>', 'lookups per day, or "plan"', limit)
    .option('--overage-pct <n>', 'percent past the daily limit before lookups are refused, or "plan"', percent)
    .option('--phone-per-min <n>', 'phone numbers per minute, or "plan"', limit)
    .option('--phone-per-day <n>', 'phone numbers per day, or "plan"', limit)
    .option('--history-days <n>', 'days of history the contract grants, or "plan" for the default', limit)
    .addOption(onOff('--dpa <on|off>', 'data-processing agreement in force'))
    .addOption(onOff('--phone <on|off>', 'phone capability'))
    .addOption(onOff('--operator <on|off>', 'may see and change every account on the site'))
    .addOption(onOff('--disabled <on|off>', 'refuse every key and sign-in of the account'))
    .addOption(
      onOff(
        '--verified <on|off>',
        "the mail address is known to be the holder's (where sign-up is by mail, keys and sign-in need that)",
      ),
    )
    .addOption(
      onOff(
        '--require-factor <on|off>',
        'open the operator pages, new keys and new apps only to sessions with a second factor; on ends the apps of before',
      ),
    )
    .option('--json', 'print JSON')
    .action(set);
  withPasswordOptions(
    account
      .command('password')
      .description('give an account a new password; its sessions and authorised apps end')
      .argument('<id>', 'account id'),
    'the new password (without this option one is generated and printed)',
  )
    .option('--revoke-keys', 'its API keys end too: a person who knew the password may have made some')
    .option('--json', 'print JSON')
    .action(password);
  account
    .command('reset-factors')
    .description(
      'remove second factors and recovery codes of an account whose holder lost them; its sessions and authorised apps end',
    )
    .argument('<id>', 'account id')
    .option('--json', 'print JSON')
    .action((id: string, { json }: AsJson) =>
      withAccounts(async (accounts) => {
        const removed = await resetFactors(accounts, id, byCli());
        print(json, { account_id: id, removed }, [say('{count} removed', { count: removed })]);
      }),
    );
  account
    .command('delete')
    .description('remove an account for good, with its keys, sessions and apps')
    .argument('<id>', 'account id')
    .option('--yes', 'without asking')
    .option('--json', 'print JSON')
    .action(remove);
  account
    .command('list')
    .description('all accounts with the limits in force')
    .option('--json', 'print JSON')
    .action(({ json }: AsJson) =>
      withAccounts(async ({ store }) => {
        const all = await store.accounts();
        const lines = all.map(
          (one) =>
            `${one.id}  ${one.email}  ${one.plan}  ${limitsText(one)}${one.verifiedAt === undefined ? `  ${say('unverified')}` : ''}${one.disabled ? `  ${say('disabled')}` : ''}`,
        );
        print(json, all.map(accountJson), lines);
      }),
    );
}

async function create(
  { password: _given, passwordStdin: _fromStdin, json, ...wish }: CreateOptions,
  command: Command,
): Promise<void> {
  const password = await readPassword(command.opts(), command);
  await withAccounts(async ({ store }) => {
    const made = await createAccount(store, { ...wish, ...(password !== undefined && { password }) }, byCli());
    print(json, accountJson(made), [`${made.id}  ${made.email}  ${made.plan}`]);
  });
}

async function set(id: string, { json, ...given }: AsJson, command: Command): Promise<void> {
  const changes: AccountChanges = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value === 'plan' && name !== 'plan' ? null : value]),
  );
  if (Object.keys(changes).length === 0) command.error(say('error: nothing to change; see --help'));
  return withAccounts(async ({ store }) => {
    const changed = await setAccount(store, id, changes, byCli());
    print(json, accountJson(changed), [`${changed.id}  ${changed.email}  ${changed.plan}`]);
  });
}

async function password(
  id: string,
  { json, revokeKeys = false, ...given }: NewPasswordOptions,
  command: Command,
): Promise<void> {
  const chosen = await readPassword(given, command);
  await withAccounts(async (accounts) => {
    const password = await setPassword(accounts, id, { chosen, alsoKeys: revokeKeys }, byCli());
    print(
      json,
      { account_id: id, ...(chosen === undefined ? { password } : {}) },
      chosen === undefined ? [password] : [],
    );
  });
}

async function remove(id: string, { yes, json }: { yes?: boolean; json?: boolean }, command: Command): Promise<void> {
  if (yes !== true && !process.stdin.isTTY) command.error(say('error: there is no terminal to ask on; use --yes'));
  await withAccounts(async ({ store }) => {
    const found = await store.account(id);
    if (
      found !== undefined &&
      yes !== true &&
      !(await confirmed(say('Delete {id} ({email}) for good? Type its id: ', { id, email: found.email }), id))
    )
      throw new Error(say('nothing was deleted'));
    await deleteAccount(store, id, byCli());
    print(json, { account_id: id, deleted: true }, [`${id}  ${say('deleted')}`]);
  });
}

type Limit = number | 'plan';

type NewPasswordOptions = PasswordOptions & AsJson & { readonly revokeKeys?: boolean };
type CreateOptions = Omit<AccountOptions, 'password'> & PasswordOptions & AsJson;

/** Asks on the terminal whether something may be done; yes is the very text, typed. Ending the input is a no. */
async function confirmed(question: string, answer: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
    return (await Promise.race([terminal.question(printable(question)), closed]))?.trim() === answer;
  } finally {
    terminal.close();
  }
}

const limit = (text: string): Limit => (text === 'plan' ? text : wholeNumber(text));

function percent(text: string): Limit {
  const value = limit(text);
  if (value !== 'plan' && value > 1000) throw new InvalidArgumentError(say('Expected at most 1000.'));
  return value;
}

function onOff(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string): boolean => {
    if (text !== 'on' && text !== 'off') throw new InvalidArgumentError(say('Expected on or off.'));
    return text === 'on';
  });
}

function accountJson(account: StoredAccount): Record<string, unknown> {
  return {
    account_id: account.id,
    email: account.email,
    plan: account.plan,
    per_min: account.perMin,
    per_day: account.perDay,
    overage_pct: account.overagePct,
    data_tier: account.dataTier,
    dpa: account.dpa,
    phone: account.phone,
    phone_eligible: account.phoneEligible,
    phone_per_min: account.phonePerMin,
    phone_per_day: account.phonePerDay,
    history_days: account.historyDays,
    operator: account.operator,
    disabled: account.disabled,
    verified: account.verifiedAt !== undefined,
    require_factor: account.requireFactor === true,
    created_at: new Date(account.createdAt).toISOString(),
  };
}

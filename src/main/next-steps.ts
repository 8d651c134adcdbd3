import { fstatSync, statSync } from 'node:fs';
import { openAccounts } from '../adapters/accounts/open-accounts.ts';
import { SqlSignInStore } from '../adapters/sign-in/sql-sign-in-store.ts';
import type { Logger } from '../adapters/system/create-logger.ts';
import type { Config } from '../config.ts';
import type { UnixMs } from '../core/units.ts';
import { firstOperatorLink } from '../service/sign-in/sign-in.ts';

const BY_COMMAND = 'npx pulse account create --operator --email ADDRESS --password';
const STANDARD_OUTPUT = 1;

/** A container's runtime keeps the output of its first process, also to a terminal. */
function isKept(): boolean {
  try {
    return statSync(`/proc/1/fd/${STANDARD_OUTPUT}`).rdev === fstatSync(STANDARD_OUTPUT).rdev;
  } catch {
    // Another user's process, or no Linux: not a container of which this is the first process.
    return false;
  }
}

export interface NextSteps {
  /** Of the service. */
  readonly address: string;
  readonly at: UnixMs;
  readonly log: Pick<Logger, 'info'>;
}

/** Prints a person's next steps on a terminal. Without an operator the first is to become one, by a link: it is a secret, so logs get a command instead. */
export async function nextSteps(config: Config, { address, at, log }: NextSteps): Promise<void> {
  const accounts = await openAccounts(config);
  try {
    const hasOperator = await accounts.store.hasOperator();
    if (!process.stdout.isTTY) {
      if (!hasOperator) log.info({}, `there is no operator yet; make the account: ${BY_COMMAND}`);
      return;
    }
    const pages = `${address}${Intl.DateTimeFormat().resolvedOptions().locale.startsWith('zh') ? '' : '/en'}`;
    const invite = async (): Promise<string> =>
      isKept()
        ? `make your account, the operator's: ${BY_COMMAND}`
        : await invitation(new SqlSignInStore(accounts.db), pages, at);
    const steps = [
      hasOperator ? `sign in: ${pages}/console` : await invite(),
      `make a key: ${pages}/console/keys`,
      `try it: curl -H 'X-API-Key: KEY' ${address}/v1/ip/8.8.8.8`,
      `connect an agent: claude mcp add --transport http pulse ${pages}/mcp/account`,
      config.feeds === 'off'
        ? 'read public lists: PULSE_FEEDS=auto npm start'
        : 'watch the public lists: npx pulse feeds list',
      `put a sensor out: npx pulse sensor --local (guide: ${pages}/docs/sensor)`,
      `read the manual: ${pages}/docs`,
    ];
    process.stdout.write(`pulse: next\n${steps.map((step, i) => `  ${i + 1}. ${step}\n`).join('')}`);
  } finally {
    await accounts.close();
  }
}

async function invitation(store: SqlSignInStore, pages: string, at: UnixMs): Promise<string> {
  const { fragment, expiresAt } = await firstOperatorLink(store, at);
  const until = new Date(expiresAt).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
  return `make your account, the operator's (good once, until ${until}):\n     ${pages}/console/first-operator${fragment}`;
}

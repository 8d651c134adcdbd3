import { isatty } from 'node:tty';
import type { Logger } from '../../adapters/system/create-logger.ts';
import type { AccountStore } from '../../service/accounts/account-store.ts';

export const FIRST_OPERATOR_COMMAND = 'pulse account create --operator --email ADDRESS --password';
export const STANDARD_OUTPUT = 1;

/**
 * Reports a missing operator with the command that creates one. A link would put a secret into a stored log.
 * Never rejects.
 */
export async function reportNoOperator(
  accounts: Pick<AccountStore, 'hasOperator'>,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<void> {
  try {
    // In a thread, `process.stdout` does not know whether it is a terminal.
    if (isatty(STANDARD_OUTPUT) || (await accounts.hasOperator())) return;
    log.info({}, `there is no operator yet; make the account: ${FIRST_OPERATOR_COMMAND}`);
  } catch (error) {
    log.warn({ error }, 'whether there is an operator could not be read');
  }
}

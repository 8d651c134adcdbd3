import { type Accounts, openAccounts } from '../adapters/accounts/open-accounts.ts';
import { openDataFolder } from '../adapters/data-folder/open-data-folder.ts';
import { loadConfig } from '../config.ts';
import { unixMs } from '../core/units.ts';
import type { By } from '../service/accounts/account-store.ts';

export async function withAccounts<T>(work: (accounts: Accounts) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const folder = await openDataFolder(config);
  const accounts = await openAccounts(config);
  try {
    await folder.settle();
    return await work(accounts);
  } finally {
    await accounts.close();
  }
}

export const byCli = (): By => ({ actor: 'cli', at: unixMs(Date.now()) });

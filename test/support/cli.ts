import { type CommandLine, pulseCommand } from './pulse-command.ts';

/**
 * Runs `pulse` with `--json` over a data folder and returns its output.
 * @throws Error with its standard error when it fails
 */
export function pulseJson(dataDir: string, line: CommandLine, env: Readonly<Record<string, string>> = {}) {
  const words = typeof line === 'string' ? line.split(' ') : line;
  const { status, stdout, stderr } = pulseCommand([...words, '--json'], { env: { PULSE_DATA_DIR: dataDir, ...env } });
  if (status !== 0) throw new Error(`pulse ${words.join(' ')} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, string>;
}

export const createAccount = (
  dataDir: string,
  name: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): string => pulseJson(dataDir, ['account', 'create', '--email', `${name}@example.com`, ...flags], env)['account_id']!;

/**
 * Makes an account on a plan and one key of it. @param env address of PostgreSQL, where accounts are kept
 * there
 */
export function createKey(
  dataDir: string,
  name: string,
  account: readonly string[],
  key: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): { readonly accountId: string; readonly keyId: string; readonly key: string } {
  const accountId = createAccount(dataDir, name, account, env);
  const made = pulseJson(dataDir, ['key', 'create', '--account', accountId, ...key], env);
  return { accountId, keyId: made['key_id']!, key: made['key']! };
}

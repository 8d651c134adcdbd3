import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pulseEnvironment } from './pulse-environment.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Runs `pulse` with `--json` over a data folder and returns what it printed. @throws Error with its standard error when it fails */
export function pulseJson(dataDir: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const run = spawnSync(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...args, '--json'], {
    encoding: 'utf8',
    env: { ...pulseEnvironment, PULSE_DATA_DIR: dataDir, ...env },
  });
  if (run.status !== 0) throw new Error(`pulse ${args.join(' ')} ended with ${run.status}: ${run.stderr}`);
  return JSON.parse(run.stdout) as Record<string, string>;
}

/** Makes an account on a plan and one key of it. */
export function createKey(
  dataDir: string,
  name: string,
  account: readonly string[],
  key: readonly string[] = [],
): { readonly accountId: string; readonly keyId: string; readonly key: string } {
  const accountId = pulseJson(dataDir, ['account', 'create', '--email', `${name}@example.com`, ...account])['account_id']!;
  const made = pulseJson(dataDir, ['key', 'create', '--account', accountId, ...key]);
  return { accountId, keyId: made['key_id']!, key: made['key']! };
}

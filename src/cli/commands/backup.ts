import type { Command } from 'commander';
import { writeBackup } from '../../adapters/backup/write-backup.ts';
import { loadConfig } from '../../config.ts';
import { say } from '../language/say.ts';
import { print, stepLine } from '../terminal/print.ts';
import { stopRequested } from '../terminal/stop-requested.ts';

export function register(program: Command): void {
  program
    .command('backup')
    .description('copy accounts, evidence, phone libraries, ledger, secret, layers and images, while the service runs')
    .argument('<dir>', 'a new folder')
    .option('--no-secret', 'leave out the secret; a restore then needs it by itself')
    .option('--json', 'print JSON')
    .action((dir: string, options: BackupFlags) => backUp(dir, { ...options, asTables: false }));
}

export interface BackupFlags {
  readonly secret: boolean;
  readonly json?: boolean;
}

interface BackupOptions extends BackupFlags {
  readonly asTables: boolean;
}

export async function backUp(dir: string, { secret, json, asTables }: BackupOptions): Promise<void> {
  const line = stepLine();
  const signal = stopRequested();
  const options = { withSecret: secret, asTables, onProgress: line.update, signal };
  const { at, files, store } = await writeBackup(loadConfig(), dir, options).finally(line.end);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  print(json, { dir, at, store, secret, files: files.length, bytes }, [
    say('{dir}: {files:file|files}, {mib} MiB, as of {at}', {
      dir,
      files: files.length,
      mib: Math.ceil(bytes / 2 ** 20),
      at,
    }),
    secret
      ? say('the secret is in it: keep it where only you can read it')
      : say('the secret is not in it: keep it elsewhere'),
  ]);
}

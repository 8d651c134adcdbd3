import type { Command } from 'commander';
import { restoreBackup } from '../../adapters/backup/restore-backup.ts';
import { loadConfig } from '../../config.ts';
import { say } from '../language/say.ts';
import { type AsJson, print, stepLine } from '../terminal/print.ts';

export function register(program: Command): void {
  program
    .command('restore')
    .description('verify a backup and restore it into an empty data folder; with PULSE_DATABASE_URL, an empty database')
    .argument('<dir>', 'folder of the backup')
    .option('--json', 'print JSON')
    .action((dir: string, options: AsJson) => restore(dir, { ...options, intoAnyStore: false }));
}

interface RestoreOptions extends AsJson {
  readonly intoAnyStore: boolean;
}

export async function restore(dir: string, { json, intoAnyStore }: RestoreOptions): Promise<void> {
  const config = loadConfig();
  const line = stepLine();
  const { at, secret, store } = await restoreBackup(config, dir, { intoAnyStore, onProgress: line.update }).finally(
    line.end,
  );
  print(json, { data_dir: config.dataDir, at, store, secret }, [
    say('{dataDir} is as it was at {at}', { dataDir: config.dataDir, at }),
    ...(secret || config.secret !== undefined
      ? []
      : [
          say('the secret is not in this backup: put {path} back before the start', {
            path: `${config.dataDir}/secret`,
          }),
        ]),
  ]);
}

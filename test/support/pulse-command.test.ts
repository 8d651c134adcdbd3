import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type CommandOptions, type CommandResult, pulseCommand, pulseProcess } from './pulse-command.ts';
import { testFolder } from './test-folder.ts';

const root = testFolder('command');

/** Ids, times and folders differ from run to run. */
const plain = (text: string): string =>
  text
    .replace(/acc_\w+/g, 'acc_')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/\S+(?:thread|process)\b/g, 'folder');

describe('a command in the thread ends as a command in a process does', () => {
  const cases: readonly (readonly [args: readonly string[], options: CommandOptions])[] = [
    [['account', 'create', '--email', 'a@example.com', '--json'], {}],
    [['account', 'nonsense'], {}],
    [
      ['evidence', 'import', '-', '--source', 's', '--risk-type', 'proxy', '--json'],
      { input: '8.8.8.8\n9.9.9.9\nnonsense\n' },
    ],
    [['account', 'list'], { env: { PULSE_SECRET: 'short' } }],
  ];
  for (const [args, { env, input = '' }] of cases)
    test(`pulse ${args.join(' ')} ${JSON.stringify(env ?? input)}`, () => {
      const over = (folder: string): CommandOptions => ({ env: { PULSE_DATA_DIR: join(root, folder), ...env }, input });
      const seen = ({ status, stdout, stderr }: CommandResult) => [status, plain(stdout), plain(stderr)];
      assert.deepEqual(seen(pulseCommand(args, over('thread'))), seen(pulseProcess(args, over('process'))));
    });
});

import { type Command, InvalidArgumentError } from 'commander';
import {
  removeOldSecret,
  rotateSecret,
  type SecretState,
  secretState,
} from '../../adapters/data-folder/rotate-secret.ts';
import { loadConfig } from '../../config.ts';
import { KEPT_USES, type KeptUse } from '../../core/data-folder/secret-lines.ts';
import { unixMs } from '../../core/units.ts';
import { say } from '../language/say.ts';
import { wholeNumber } from '../options/option-values.ts';
import { type AsJson, print } from '../terminal/print.ts';

/** Longer than a browser stays signed in, a node stays down, or an app's sign-in takes, in days. */
const FORMER_DAYS = 7;

/** `pulse secret status|rotate|forget`: the deployment's secret. No part of it is ever printed. */
export function register(program: Command): void {
  const secret = program.command('secret').description('the deployment’s secret: how old parts of it are, a new one');
  secret
    .command('status')
    .description('where the secret is, until when a former one is accepted, which keys an earlier one left')
    .option('--json', 'print JSON')
    .action(({ json }: AsJson) => report(json, secretState(loadConfig())));
  secret
    .command('rotate')
    .description(
      'make a new secret; the former one is accepted for some days. Restart all nodes with the new text afterwards (docs/operating.md)',
    )
    .option('--days <n>', 'how long the former one is accepted', wholeNumber, FORMER_DAYS)
    .option(
      '--renew <use...>',
      `also give new keys to: ${KEPT_USES.join(', ')}; what was stored with the old ones is void`,
      keptUse,
    )
    .option('--out <file>', 'write the new text to a new file, and leave the one in use')
    .option('--json', 'print JSON')
    .action(async ({ json, days, renew = [], out }: RotateCommand) =>
      report(
        json,
        await rotateSecret(loadConfig(), { at: unixMs(Date.now()), days, renew, ...(out !== undefined && { out }) }),
      ),
    );
  secret
    .command('forget')
    .description('take the former secret out; processes accept it until they are restarted')
    .option('--out <file>', 'write the text without it to a new file, and leave the one in use')
    .option('--json', 'print JSON')
    .action(async ({ json, out }: { json?: boolean; out?: string }) =>
      report(json, await removeOldSecret(loadConfig(), out)),
    );
}

interface RotateCommand extends AsJson {
  readonly days: number;
  readonly renew?: readonly KeptUse[];
  readonly out?: string;
}

function keptUse(text: string, held: readonly KeptUse[] = []): readonly KeptUse[] {
  const use = KEPT_USES.find((one) => one === text);
  if (use === undefined)
    throw new InvalidArgumentError(say('expected one of {values}', { values: KEPT_USES.join(', ') }));
  return [...held, use];
}

function report(json: boolean | undefined, { place, formerUntil, kept }: SecretState): void {
  const until = formerUntil === undefined ? undefined : new Date(formerUntil).toISOString();
  const lines = [
    place,
    until === undefined
      ? say('there is no former secret')
      : say('the former secret is accepted until {until}', { until }),
    kept.length === 0
      ? say('all keys are made from this secret')
      : say('keys of an earlier secret: {uses}', { uses: kept.join(', ') }),
  ];
  print(json, { place, former_until: until, kept }, lines);
}

import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { LINE_FORMATS, type LineFormat } from '../../core/logs/line-format.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { readPolicy } from '../../core/policy/read-policy.ts';
import { type ByAction, type TrialDocument, UNJUDGED, type Unjudged } from '../../core/trial/trial-document.ts';
import { runTrial } from '../../main/bulk/run-trial.ts';
import { say } from '../language/say.ts';
import { PARTIAL, pastMomentFrom } from '../options/option-values.ts';
import { readerConfig } from '../reader-config.ts';
import { wholeFrom } from '../receiver-of.ts';
import { print, progressLine } from '../terminal/print.ts';
import { stopRequested } from '../terminal/stop-requested.ts';

interface TrialFlags {
  readonly policy: Policy;
  readonly good?: string;
  readonly at?: string;
  readonly format: LineFormat | 'auto';
  readonly field?: string;
  readonly allowPartial?: boolean;
  readonly top: number;
  readonly json?: boolean;
}

export function register(program: Command): void {
  program
    .command('trial')
    .description('what a policy would have stopped in a log of yours, and whom; from the local data (docs/rollout.md)')
    .argument('[log]', 'the log, also compressed with gzip or zstd; - or none: standard input', '-')
    .requiredOption('--policy <file>', 'the policy, as JSON (docs/rollout.md)', policyFrom)
    .option('--good <file>', 'logins that succeeded: address and user, as a log or a table')
    .option('--at <time>', 'verdicts as they stood at this moment (RFC 3339); line: each at the time of its own line')
    .addOption(
      new Option('--format <format>', 'how lines are laid out').choices(['auto', ...LINE_FORMATS]).default('auto'),
    )
    .option('--field <name>', 'column, word (from 1) or member with the address; default: found by itself')
    .option('--allow-partial', PARTIAL)
    .option('--top <n>', 'rows of addresses and of logins', wholeFrom(1, 1000), 20)
    .option('--json', 'print the counts as JSON')
    .action(run);
}

async function run(path: string, flags: TrialFlags): Promise<void> {
  const progress = progressLine('trial');
  const document = await runTrial(readerConfig(), {
    path,
    loginsPath: flags.good,
    policy: flags.policy,
    options: { format: flags.format === 'auto' ? undefined : flags.format, field: flags.field },
    allowPartial: flags.allowPartial === true,
    moment: flags.at === 'line' ? 'line' : pastMomentFrom(flags.at),
    top: flags.top,
    signal: stopRequested(),
    onProgress: progress.update,
  }).finally(progress.end);
  print(flags.json, document, textOf(document));
}

function policyFrom(file: string): Policy {
  let policy: Policy | string;
  try {
    policy = readPolicy(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
  if (typeof policy === 'string') throw new InvalidArgumentError(policy);
  return policy;
}

function textOf({ records, requests, addresses, shared_addresses, hours, top, logins }: TrialDocument): string[] {
  const worst = hours.toSorted((a, b) => b.deny - a.deny || b.challenge - a.challenge)[0];
  return [
    say('{judged} of {total:record|records} judged', records),
    ...passedOver(records),
    '',
    say('requests: {shares}', { shares: sharesOf(requests) }),
    say('addresses: {shares}', { shares: sharesOf(addresses) }),
    say('addresses that many share: {shares}', { shares: sharesOf(shared_addresses) }),
    ...(worst === undefined || worst.deny + worst.challenge === 0
      ? []
      : [say('busiest hour: {hour}, {shares}', { hour: worst.hour, shares: sharesOf(worst) })]),
    ...top.map(({ ip, requests: count, action, reason }) => `  ${action.padEnd(9)} ${ip}  ${count}×  ${reason}`),
    ...(logins === undefined
      ? []
      : [
          '',
          say('logins that succeeded: {shares}', { shares: sharesOf(logins.logins) }),
          ...passedOver(logins.records),
          ...(logins.people === undefined ? [] : [say('people: {shares}', { shares: sharesOf(logins.people) })]),
          ...logins.stopped.map(
            ({ ip, user = '', at = '', action, reason }) =>
              `  ${action.padEnd(9)} ${[user, ip, at].filter((word) => word !== '').join('  ')}  ${reason}`,
          ),
        ]),
  ];
}

const passedOver = (counts: Readonly<Record<Unjudged, number>>): string[] =>
  UNJUDGED.filter((reason) => counts[reason] > 0).map((reason) =>
    say('not judged, {reason}: {count}', { reason: reason.replaceAll('_', ' '), count: counts[reason] }),
  );

function sharesOf(counts: ByAction): string {
  const all = counts.allow + counts.challenge + counts.deny;
  const share = (count: number): string => (all === 0 ? '' : ` (${((100 * count) / all).toFixed(1)} %)`);
  return (['allow', 'challenge', 'deny'] as const)
    .map((action) => `${action} ${counts[action]}${share(counts[action])}`)
    .join(', ');
}

import type { Command } from 'commander';
import { systemClock } from '../../adapters/system/clock.ts';
import { loadConfig } from '../../config.ts';
import { padded } from '../../core/report/verdict-lines.ts';
import { worded } from '../../core/texts/said.ts';
import { doctor } from '../../main/doctor.ts';
import { say } from '../language/say.ts';
import { slugName } from '../language/slug-name.ts';
import { print } from '../terminal/print.ts';

/** `pulse doctor` (decisions 10.10): the base of a start and its verdicts, looked at without changing it. */
export function register(program: Command): void {
  program
    .command('doctor')
    .description('look at data folder, settings, port, place data and feeds; status 1 where a start would be refused')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await doctor(loadConfig(), systemClock.now());
      print(
        json,
        findings.map((finding) => ({ ...finding, text: worded(finding.text) })),
        findings.map(
          ({ subject, state, text }) => `${padded(slugName(state), 7)}  ${slugName(subject)}${say(': ')}${say(text)}`,
        ),
      );
      if (findings.some(({ state }) => state === 'fault')) process.exitCode = 1;
    });
}

import { writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { redact } from '../../adapters/system/create-logger.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { type Config, ConfigError, loadConfig } from '../../config.ts';
import { padded } from '../../core/report/verdict-lines.ts';
import { worded } from '../../core/texts/said.ts';
import { doctor } from '../../main/doctor.ts';
import type { Finding } from '../../main/machine-findings.ts';
import { ROLES, type Role } from '../../main/serve-options.ts';
import { say } from '../language/say.ts';
import { slugName } from '../language/slug-name.ts';
import { print } from '../terminal/print.ts';

interface Options {
  readonly role: Role;
  readonly json?: boolean;
  readonly bundle?: string;
}

export function register(program: Command): void {
  program
    .command('doctor')
    .description('look at data folder, settings, port, stores, machine, place data and feeds; status 1 with a fault')
    .addOption(new Option('--role <role>', 'role of the node (docs/scaling.md)').choices(ROLES).default('all'))
    .option('--bundle <file>', 'write what helps to find a fault to a new file, without secrets')
    .option('--json', 'print JSON')
    .action(async ({ role, json, bundle }: Options) => {
      const config = settings();
      const findings = 'dataDir' in config ? await doctor(config, systemClock, role) : config;
      if (bundle !== undefined && 'dataDir' in config) {
        const { supportBundle } = await import('../../main/support-bundle.ts');
        writeBundle(bundle, await supportBundle({ config, role, findings, now: systemClock.now() }));
      }
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

function settings(): Config | readonly Finding[] {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((text) => ({ subject: 'settings', state: 'fault', text }));
  }
}

/** Texts in it, such as errors of publishers, may quote what nobody else should read. */
function writeBundle(file: string, bundle: object): void {
  const text = JSON.stringify(bundle, (_, value: unknown) => (typeof value === 'string' ? redact(value) : value), 1);
  writeFileSync(file, `${text}\n`, { flag: 'wx', mode: 0o600 });
}

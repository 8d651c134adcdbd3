/** Entry of the command line. Finds the command's file by its first word, so that starting one command loads nothing of the others. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { Command, CommanderError } from 'commander';
import { ConfigError, dataDirOf, VERSION } from '../config.ts';
import { keepCompiledCode } from '../main/keep-compiled-code.ts';
import { Problem } from '../service/problem.ts';
import { printable } from './printable.ts';
import { heedStops, Stopped } from './stop-requested.ts';
import { systemFault } from './system-fault.ts';

/** Adds one command (with its subcommands) to the program. */
export type Register = (program: Command) => void;

/** Exit status: 0 done, 1 failed, 2 wrong usage. */
const FAILED = 1;
const USAGE = 2;

const COMMANDS: Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<{ readonly register: Register }> }>
> = {
  account: { summary: 'accounts, their plans and limits', load: () => import('./commands/account.ts') },
  beacon: {
    summary: 'beacons: exits of proxies, VPNs and pools that you pay for become evidence',
    load: () => import('./commands/beacon.ts'),
  },
  data: {
    summary: 'geolocation and network data: list, build, verify; a damaged data folder: accept-loss',
    load: () => import('./commands/data.ts'),
  },
  doctor: {
    summary: 'looks at data folder, settings, port, place data and feeds',
    load: () => import('./commands/doctor.ts'),
  },
  enrich: {
    summary: 'a log or table with fields of the verdict added to each line',
    load: () => import('./commands/enrich.ts'),
  },
  evidence: { summary: 'captures from your own systems: import', load: () => import('./commands/evidence.ts') },
  export: {
    summary: 'verdicts of this moment as a file: mmdb, csv, ndjson, nft, nginx-geo, haproxy-map, ipset, caddy',
    load: () => import('./commands/export.ts'),
  },
  feeds: {
    summary: 'public sources: list, refresh, import, accept what was refused',
    load: () => import('./commands/feeds.ts'),
  },
  key: { summary: 'API keys of an account', load: () => import('./commands/key.ts') },
  serve: { summary: 'answer requests until stopped', load: () => import('./commands/serve.ts') },
  override: {
    summary: 'corrections of verdicts: add, list, remove',
    load: () => import('./commands/override.ts'),
  },
  phone: { summary: 'phone risk libraries: import, generate', load: () => import('./commands/phone.ts') },
  lookup: { summary: 'one verdict from local data, no server', load: () => import('./commands/lookup.ts') },
  sensor: {
    summary: 'listen for scanners and password guessers, and report them',
    load: () => import('./commands/sensor.ts'),
  },
  secret: { summary: 'the deployment’s secret: status, rotate, forget', load: () => import('./commands/secret.ts') },
  summarize: {
    summary: 'who is behind the lines of a log, as text, JSON or one HTML file',
    load: () => import('./commands/summarize.ts'),
  },
  plan: { summary: 'plans and their limits', load: () => import('./commands/plan.ts') },
};

async function run(argv: readonly string[]): Promise<void> {
  const program = new Command('pulse')
    .description('IP risk, geolocation and phone-number risk, on your own machine.')
    .version(VERSION)
    .exitOverride();
  const [first, second] = argv.filter((argument) => !argument.startsWith('-'));
  const word = first === 'help' ? second : first;
  const chosen = word === undefined ? undefined : COMMANDS[word];
  // Made by `serve`; every command of the installation starts faster with it.
  const compiled = join(dataDirOf(process.env.PULSE_DATA_DIR), 'cache');
  if (isMainThread && existsSync(compiled)) keepCompiledCode(compiled);
  if (chosen === undefined)
    for (const [name, { summary }] of Object.entries(COMMANDS)) program.command(name).description(summary);
  else (await chosen.load()).register(program);
  inherit(program);
  if (argv.length === 0) program.help({ error: true });
  await program.parseAsync([...argv], { from: 'user' });
}

/** Subcommands do not take over exitOverride by themselves. */
function inherit(command: Command): void {
  for (const child of command.commands) {
    child.exitOverride();
    inherit(child);
  }
}

/** Timers and streams that a signal ends throw an error of their own around its reason. */
const stopBehind = (error: unknown): Stopped | undefined =>
  [error, (error as Error).cause].find((one) => one instanceof Stopped);

function exitStatusOf(error: unknown): number {
  if (error instanceof Stopped) return error.exitStatus;
  return error instanceof ConfigError ? USAGE : FAILED;
}

function textOf(error: unknown): string {
  if (!(error instanceof Problem))
    return systemFault(error) ?? (error instanceof Error ? error.message : String(error));
  const { window_from } = error.extras;
  const more = [error.detail, window_from === undefined ? undefined : `window_from ${window_from}`].filter(
    (part) => part !== undefined,
  );
  return `${error.code}: ${error.message}${more.length === 0 ? '' : ` (${more.join('; ')})`}`;
}

// Files of this process and its threads are for their own user: accounts, evidence and secrets lie in it.
if (isMainThread) process.umask(0o077);
heedStops();

// The reader of our output may have had enough of it (`pulse key list | head -1`): that is not a fault, and work already begun is finished.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  else {
    const fault = stopBehind(error) ?? error;
    process.exitCode = exitStatusOf(fault);
    process.stderr.write(`pulse: ${textOf(fault).split('\n').map(printable).join('\n')}\n`);
    if (process.env.PULSE_LOG === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  }
}

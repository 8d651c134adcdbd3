import { isMainThread } from 'node:worker_threads';
import { Command, CommanderError, type HelpConfiguration } from 'commander';
import { ConfigError, VERSION } from '../config.ts';
import { printable } from '../core/texts/printable.ts';
import type { CommandTable } from './command-table.ts';
import { languageOf, takeLanguage } from './language/language-of.ts';
import { libraryText } from './language/library-texts.ts';
import { faultText } from './language/say.ts';
import { Stopped, watchForStop } from './terminal/stop-requested.ts';

/** Exit status: 0 done, 1 failed, 2 wrong usage. */
const FAILED = 1;
const USAGE = 2;

export interface ProgramOptions {
  readonly name: string;
  readonly description: string;
  readonly commands: CommandTable;
}

export async function runProgram(options: ProgramOptions): Promise<void> {
  // Files of this process and its threads are for their own user: accounts, evidence and secrets lie in it.
  if (isMainThread) process.umask(0o077);
  watchForStop();
  // A reader that has had enough of our output (`pulse key list | head -1`) is not a fault: begun work is finished.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    await run(process.argv.slice(2), options);
  } catch (error) {
    await reportFault(error, options.name);
  }
}

async function run(argv: readonly string[], options: ProgramOptions): Promise<void> {
  const { commands } = options;
  const program = new Command(options.name)
    .description(options.description)
    .version(VERSION)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(libraryText(text)) })
    .configureHelp({ styleTitle: libraryText });
  if (languageOf(argv) === 'zh') program.configureHelp({ ...program.configureHelp(), ...(await helpInChinese()) });
  const [first, second] = argv.filter((argument) => !argument.startsWith('-'));
  const mayLookUp = first !== undefined && commands[first] === undefined && commands['lookup'] !== undefined;
  if (mayLookUp && (await isAddress(first))) return await run(['lookup', ...argv], options);
  const word = first === 'help' ? second : first;
  const chosen = word === undefined ? undefined : commands[word];
  if (chosen === undefined)
    for (const [name, { summary }] of Object.entries(commands)) program.command(name).description(summary);
  else (await chosen.load()).register(program, commands);
  inherit(program);
  takeLanguage(program);
  if (argv.length === 0) program.help({ error: true });
  await program.parseAsync([...argv], { from: 'user' });
}

const helpInChinese = async (): Promise<HelpConfiguration> =>
  (await import('./language/chinese-help.ts')).chineseHelp();

/** `pulse 8.8.8.8` is short for its lookup. Words without a dot or colon are left to the parser of commands. */
const isAddress = async (word: string): Promise<boolean> =>
  /[.:。]/.test(word) && (await import('../core/ip/find-addresses.ts')).findAddresses(word).addresses.length > 0;

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

/** Their standard error is a log, which is JSON but on a terminal. */
const LOGGING = /^(serve|sensor|follow)$/;

async function reportFault(error: unknown, name: string): Promise<void> {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  else {
    const fault = stopBehind(error) ?? error;
    process.exitCode = exitStatusOf(fault);
    const lines = faultText(fault).split('\n').map(printable);
    if (!process.stderr.isTTY && process.argv.slice(2, 4).some((word) => LOGGING.test(word))) {
      const log = (await import('../adapters/system/create-logger.ts')).createLogger('error');
      for (const line of lines) log.error({}, line);
    } else process.stderr.write(`${name}: ${lines.join('\n')}\n`);
    if (process.env.PULSE_LOG === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  }
}

import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { say } from '../language/say.ts';

/**
 * How a command is given a password: as an argument, which the process list and the shell's history show; by a
 * prompt; or on standard input. `password`: true: the option came without a value.
 */
export interface PasswordOptions {
  readonly password?: string | true;
  readonly passwordStdin?: boolean;
}

export function withPasswordOptions(command: Command, description: string): Command {
  return command
    .option('--password [password]', `${description}; without a value it is asked for on the terminal`)
    .addOption(new Option('--password-stdin', 'read the password from standard input: one line').conflicts('password'));
}

/**
 * The password that a command was given, or undefined when it was given none. Ends the command as wrong usage
 * when there is no terminal to ask on.
 * @throws Error standard input is not one line, or the password was typed differently the second time
 */
export async function readPassword(
  { password, passwordStdin }: PasswordOptions,
  command: Command,
): Promise<string | undefined> {
  if (passwordStdin === true) return oneLine(await text(process.stdin));
  if (password !== true) return password;
  if (!process.stdin.isTTY)
    command.error(say('error: there is no terminal to ask for the password on; use --password-stdin'));
  const typed = await ask(say('New password: '));
  if ((await ask(say('The same again: '))) !== typed) throw new Error(say('the two passwords differ'));
  return typed;
}

function oneLine(given: string): string {
  const line = given.replace(/\r?\n$/, '');
  if (line === '' || /[\r\n]/.test(line)) throw new Error(say('standard input must be the password, on one line'));
  return line;
}

async function ask(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 });
  // The question comes after the line above, because the terminal shows typed text until then.
  process.stderr.write(question);
  try {
    const closed = once(terminal, 'close').then(() => Promise.reject(new Error(say('no password was entered'))));
    return await Promise.race([terminal.question(''), closed]);
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

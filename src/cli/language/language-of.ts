import { type Command, Option } from 'commander';
import type { Language } from '../../core/texts/said.ts';

const LANGUAGES: readonly Language[] = ['en', 'zh'];

/** The language of the person at the terminal, by the environment (POSIX: LC_ALL, then LC_MESSAGES, then LANG). */
function terminalLanguage(env: Readonly<Record<string, string | undefined>> = process.env): Language {
  const locale = [env.LC_ALL, env.LC_MESSAGES, env.LANG].find((value) => value !== undefined && value !== '');
  return locale?.startsWith('zh') === true ? 'zh' : 'en';
}

export function languageOf(argv: readonly string[]): Language {
  const at = argv.findIndex((word) => word === '--lang' || word.startsWith('--lang='));
  const named = argv[at]?.split('=')[1] ?? argv[at + 1];
  return at >= 0 && LANGUAGES.includes(named as Language) ? (named as Language) : terminalLanguage();
}

export const languageOption = (): Option =>
  new Option('--lang <language>', 'language of tables and errors; default: by LC_ALL, LC_MESSAGES or LANG')
    .choices(LANGUAGES)
    .default(terminalLanguage());

/**
 * Gives `--lang` to every command that has none of its own. It is read from the command line itself, and is
 * not an option of the work.
 */
export function takeLanguage({ commands }: Command): void {
  for (const command of commands) {
    takeLanguage(command);
    if (command.commands.length === 0 && !command.options.some(({ long }) => long === '--lang'))
      command.addOption(languageOption()).hook('preAction', (_, action) => void delete action.opts()['lang']);
  }
}

import { Argument, Command } from 'commander';
import type { CommandTable } from '../command-table.ts';
import { takeLanguage } from '../language/language-of.ts';
import { printLines } from '../terminal/print.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

export function register(program: Command, table: CommandTable): void {
  program
    .command('completion')
    .description('print completion of commands and options: `source <(pulse completion bash)`')
    .addArgument(new Argument('<shell>', 'shell that reads the script').choices(SHELLS))
    .action(async (shell: Shell) => {
      printLines(
        SCRIPTS[shell](wordsByPath(await wholeTree(table)))
          .trimEnd()
          .split('\n'),
      );
    });
}

async function wholeTree(table: CommandTable): Promise<Command> {
  const program = new Command('pulse');
  for (const { load } of Object.values(table)) (await load()).register(program, table);
  takeLanguage(program);
  return program;
}

type WordsByPath = ReadonlyMap<string, readonly string[]>;

function wordsByPath(command: Command, path = command.name()): WordsByPath {
  const words = [
    ...command.commands.map((child) => child.name()),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...[...command.options, { long: '--help' }].flatMap(({ long }) =>
      long === undefined || long === null ? [] : [long],
    ),
  ];
  return new Map([
    [path, words],
    ...command.commands.flatMap((child) => [...wordsByPath(child, `${path} ${child.name()}`)]),
  ]);
}

const tableOf = (words: WordsByPath): string =>
  [...words].map(([path, next]) => `  [${JSON.stringify(path)}]="${next.join(' ')}"`).join('\n');

const SCRIPTS: Readonly<Record<Shell, (words: WordsByPath) => string>> = {
  bash: (words) => `declare -A _pulse_words=(
${tableOf(words)}
)
_pulse() {
  local at=pulse i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ -v "_pulse_words[$at \${COMP_WORDS[i]}]" ]] && at+=" \${COMP_WORDS[i]}"
  done
  COMPREPLY=($(compgen -W "\${_pulse_words[$at]}" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _pulse pulse
`,
  zsh: (words) => `#compdef pulse
typeset -A _pulse_words
_pulse_words=(
${[...words].map(([path, next]) => `  ${JSON.stringify(path)} "${next.join(' ')}"`).join('\n')}
)
_pulse() {
  local at=pulse i
  for ((i = 2; i < CURRENT; i++)); do
    [[ -n "\${_pulse_words[$at $words[i]]}" ]] && at+=" $words[i]"
  done
  compadd -- \${=_pulse_words[$at]} || _files
}
compdef _pulse pulse
`,
  fish: (words) =>
    [...words]
      .map(([path, next]) => {
        const [, ...names] = path.split(' ');
        const deeper = next.filter((word) => words.has(`${path} ${word}`));
        const within = names.map((name) => `__fish_seen_subcommand_from ${name}`);
        const outside = deeper.length === 0 ? [] : [`not __fish_seen_subcommand_from ${deeper.join(' ')}`];
        const condition = [...within, ...outside].join('; and ');
        return `complete -c pulse ${condition === '' ? '' : `-n '${condition}' `}-a '${next.join(' ')}'\n`;
      })
      .join(''),
};

import type { Command } from 'commander';

export type Register = (program: Command, table: CommandTable) => void;

/** Every command by its first word; its file is loaded when it is asked for. */
export type CommandTable = Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<{ readonly register: Register }> }>
>;

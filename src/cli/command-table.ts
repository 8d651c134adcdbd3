import type { Command } from 'commander';

export type Register = (program: Command, table: CommandTable) => void;

export type CommandTable = Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<{ readonly register: Register }> }>
>;

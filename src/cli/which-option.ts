import { Option } from 'commander';
import { WHICH } from '../core/logs/line-format.ts';
import { printNote } from './print.ts';
import { say } from './say.ts';

/** `--which`, of the commands that read files of lines. */
export const whichOption = (): Option =>
  new Option(
    '--which <one>',
    'with --format any: which address of several on a line; the first and last are public ones',
  ).choices(WHICH);

/** Of `--allow-partial`. */
export const PARTIAL = 'take a file of which most lines have no address; else that is an error';

/** Says that lines hold more addresses than are read. */
export const noteUnread = (addresses: number): void =>
  printNote(
    say('most lines hold {addresses} addresses, of which one was read; --which first, last or all chooses among them', {
      addresses,
    }),
  );

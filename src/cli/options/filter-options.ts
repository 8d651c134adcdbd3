import { type Command, InvalidArgumentError, Option } from 'commander';
import { EVIDENCE_STATES, type EvidenceState, LEVELS, type Level, SIGNALS, type Signal } from '../../contract/risk.ts';
import { say } from '../language/say.ts';
import { wholeFrom } from '../receiver-of.ts';
import { type LeaveOutFlags, leaveOutOptions } from './leave-out-options.ts';

export interface FilterFlags extends LeaveOutFlags {
  readonly minScore?: number;
  readonly levels?: readonly Level[];
  readonly states?: readonly EvidenceState[];
  readonly signals?: readonly Signal[];
  readonly family: '4' | '6' | 'both';
}

/** Addresses without evidence are not in a file. */
export const FILE_STATES = EVIDENCE_STATES.filter((state) => state !== 'none');

/** Options that choose verdicts, of the commands that make lists and files of them. */
export const filterOptions = (
  command: Command,
  help: { readonly minScore: string; readonly states: string },
): Command =>
  leaveOutOptions(
    command
      .option('--min-score <n>', help.minScore, wholeFrom(0, 100))
      .option('--levels <list>', 'levels of the score, such as medium,high', slugs(LEVELS))
      .option('--states <list>', help.states, slugs(FILE_STATES))
      .option('--signals <list>', 'verdicts with one of these signals', slugs(SIGNALS)),
  ).addOption(new Option('--family <family>', 'address family').choices(['4', '6', 'both']).default('both'));

function slugs<T extends string>(known: readonly T[]): (text: string) => readonly T[] {
  return (text) => {
    const read = text.split(',').map((one) => one.trim());
    if (read.every((one): one is T => (known as readonly string[]).includes(one))) return read;
    throw new InvalidArgumentError(say('expected some of {values}, separated by commas', { values: known.join(', ') }));
  };
}

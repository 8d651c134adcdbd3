import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readBody } from '../../adapters/system/read-body.ts';
import {
  EVIDENCE_STATES,
  type EvidenceState,
  LEVELS,
  type Level,
  SHARE_TIERS,
  type ShareTier,
  SIGNALS,
  type Signal,
} from '../../contract/risk.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { findAddresses } from '../../core/ip/find-addresses.ts';
import { familyBits, prefixOf } from '../../core/ip/prefix.ts';
import { binaryFault, binaryKind, plainText } from '../../core/logs/plain-text.ts';
import { fault } from '../../core/texts/said.ts';
import { say } from '../language/say.ts';
import { wholeFrom } from '../receiver-of.ts';

export interface LeaveOutFlags {
  readonly maxTier?: ShareTier;
  readonly includeShared?: boolean;
  readonly exclude?: readonly Prefix[];
}

export const leaveOutOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--max-tier <tier>', 'leave out what more share than this by its network').choices(SHARE_TIERS),
    )
    .option('--include-shared', 'in a list to block by, also what is only challenged: Tor exits and shared networks')
    .option(
      '--exclude <file>',
      'leave out the addresses and networks that stand in this file, in whatever form',
      networksIn,
    );

const EXCLUDED_MAX_BYTES = 2 ** 28;

function networksIn(file: string): readonly Prefix[] {
  try {
    const bytes = readBody(readFileSync(file), EXCLUDED_MAX_BYTES);
    const kind = binaryKind(bytes);
    if (kind !== undefined) throw binaryFault(kind, file);
    const { addresses, networks } = findAddresses(new TextDecoder().decode(plainText(bytes)));
    if (addresses.length + networks.length === 0 && bytes.length > 0)
      throw fault('{file} has no address and no network', { file });
    const unread = networks.find(({ prefixes }) => prefixes.length === 0)?.text;
    if (unread !== undefined) throw fault('{file}: {text} is neither an address nor a network', { file, text: unread });
    return [
      ...networks.flatMap(({ prefixes }) => prefixes),
      ...addresses.map((address) => prefixOf(address, familyBits(address.family))),
    ];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

export interface FilterFlags extends LeaveOutFlags {
  readonly minScore?: number;
  readonly levels?: readonly Level[];
  readonly states?: readonly EvidenceState[];
  readonly signals?: readonly Signal[];
  readonly family: '4' | '6' | 'both';
}

/** Addresses without evidence are not in a file. */
export const FILE_STATES = EVIDENCE_STATES.filter((state) => state !== 'none');

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

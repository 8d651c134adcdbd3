import { InvalidArgumentError, Option } from 'commander';
import type { SummaryDoubt } from '../../contract/traffic-summary.ts';
import { parseRfc3339 } from '../../core/evidence/parse-rfc3339.ts';
import { WHICH } from '../../core/logs/line-format.ts';
import { seenAddressText } from '../../core/report/report-words.ts';
import type { Text } from '../../core/texts/chinese.ts';
import type { UnixMs } from '../../core/units.ts';
import type { StoredAccount } from '../../service/accounts/account-store.ts';
import { Problem } from '../../service/problem.ts';
import { say } from '../language/say.ts';
import { printNote } from '../terminal/print.ts';

export const limitsText = ({ perMin, perDay }: Pick<StoredAccount, 'perMin' | 'perDay'>): string =>
  say('{perMin}/min  {perDay}/day', { perMin, perDay });

/** Parses a command-line option of 1 to 12 digits. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError(say('Expected a whole number, 0 or more.'));
  return value;
}

export function momentFrom(text: string): UnixMs {
  const at = parseRfc3339(text);
  if (at === undefined)
    throw new InvalidArgumentError(say('Expected an RFC 3339 date-time such as 2027-01-31T00:00:00Z.'));
  return at;
}

export function pastMomentFrom(text: string | undefined): UnixMs | undefined {
  if (text === undefined) return undefined;
  const at = parseRfc3339(text);
  if (at === undefined || at > Date.now()) throw notPast();
  return at;
}

/** The message of the table speaks of an address, in which a plus needs an escape. */
export const notPast = (): Problem => new Problem('invalid_time', { message: NOT_PAST });

const NOT_PAST: Text = 'Expected an RFC 3339 date-time that is not in the future.';

export const whichOption = (): Option =>
  new Option(
    '--which <one>',
    'with --format any: which address of several on a line; the first and last are public ones',
  ).choices(WHICH);

export const PARTIAL = 'take a file of which most lines have no address; else that is an error';

export function noteDoubt({ taken, others, lines }: SummaryDoubt): void {
  const [other] = others;
  const read = seenAddressText(taken);
  const list = others.map(seenAddressText).join(', ');
  if (other === undefined)
    printNote(
      say('{lines:line|lines}: nothing says that {read} is the client; it is the only address there', { lines, read }),
    );
  else if (other.name === '' || other.name === taken.name)
    printNote(
      say('{lines:line|lines}: read {read}; also there: {others}; --which first, last or all chooses', {
        lines,
        read,
        others: list,
      }),
    );
  else
    printNote(
      say(
        '{lines:line|lines}: read {read}; also there: {others}; choose with --field {other}, or --which first, last or all',
        { lines, read, others: list, other: other.name },
      ),
    );
}

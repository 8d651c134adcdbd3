import { InvalidArgumentError } from 'commander';
import { parseRfc3339 } from '../../core/evidence/parse-rfc3339.ts';
import type { Text } from '../../core/texts/chinese.ts';
import type { UnixMs } from '../../core/units.ts';
import { Problem } from '../../service/problem.ts';
import { say } from '../language/say.ts';

/** Reads the moment of an option. @throws InvalidArgumentError for text that is not an RFC 3339 date-time */
export function momentFrom(text: string): UnixMs {
  const at = parseRfc3339(text);
  if (at === undefined)
    throw new InvalidArgumentError(say('Expected an RFC 3339 date-time such as 2027-01-31T00:00:00Z.'));
  return at;
}

/** Reads the moment that verdicts are asked for. @throws Problem invalid_time for one to come, too */
export function pastMomentFrom(text: string | undefined): UnixMs | undefined {
  if (text === undefined) return undefined;
  const at = parseRfc3339(text);
  if (at === undefined || at > Date.now()) throw notPast();
  return at;
}

/** The message of the table speaks of an address, in which a plus needs an escape. */
export const notPast = (): Problem => new Problem('invalid_time', { message: NOT_PAST });

const NOT_PAST: Text = 'Expected an RFC 3339 date-time that is not in the future.';

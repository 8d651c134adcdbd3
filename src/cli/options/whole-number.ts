import { InvalidArgumentError } from 'commander';
import { say } from '../language/say.ts';

/** Parses a command-line option of 1 to 12 digits. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError(say('Expected a whole number, 0 or more.'));
  return value;
}

import { type Said, said } from '../texts/said.ts';

const MIN_SECRET_LENGTH = 32;
/** Fewer than 8 different digits among 32 random hexadecimal ones occur about once in ten million. */
const MIN_DIFFERENT = 8;

/**
 * Says why a text cannot be a deployment's secret; undefined if it can. The sentence never contains the text.
 */
export function secretFault(text: string): Said | undefined {
  if (/[\p{Cc}\uFFFD]/u.test(text)) return said('holds bytes that are not text');
  if (text.length < MIN_SECRET_LENGTH) return said('holds fewer than {min} characters', { min: MIN_SECRET_LENGTH });
  return isGuessable(text)
    ? said('holds a text that can be guessed: few different characters, or one piece over and over')
    : undefined;
}

export function isGuessable(text: string): boolean {
  return new Set(text).size < MIN_DIFFERENT || (text + text).indexOf(text, 1) < text.length;
}

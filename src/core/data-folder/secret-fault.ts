import { type Said, said } from '../texts/said.ts';

/** Shorter ones can be guessed. */
const MIN_SECRET_LENGTH = 32;
/** 32 random hexadecimal digits have fewer different ones about once in ten million. */
const MIN_DIFFERENT = 8;

/** Why a text cannot be a deployment's secret; undefined when it can. The text itself is never part of the answer. */
export function secretFault(text: string): Said | undefined {
  if (/[\p{Cc}\uFFFD]/u.test(text)) return said('holds bytes that are not text');
  if (text.length < MIN_SECRET_LENGTH) return said('holds fewer than {min} characters', { min: MIN_SECRET_LENGTH });
  return isGuessable(text)
    ? said('holds a text that can be guessed: few different characters, or one piece over and over')
    : undefined;
}

/** Whether a text is made of few characters, or repeats a piece of itself from beginning to end. */
export function isGuessable(text: string): boolean {
  return new Set(text).size < MIN_DIFFERENT || (text + text).indexOf(text, 1) < text.length;
}

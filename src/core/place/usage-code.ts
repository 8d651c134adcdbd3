/** A code may take any form (`DCH`, `ISP/MOB`, `V6X`, lower case); longer texts are names or prose. */
const LONGEST = 32;
/** A layer with more different codes than this has something else in that field. */
export const MOST_USAGE_CODES = 64;

/**
 * The segment usage code of a file, unchanged but for white space around it (interface, Network object: passed through unchanged, the set is open).
 * @returns undefined where the text stands for unknown, or is not a code: empty, over 32 characters, or with control characters
 */
export function usageCode(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const code = value.trim();
  return code === '' || code.length > LONGEST || /\p{C}/u.test(code) || UNKNOWN.test(code) ? undefined : code;
}

const UNKNOWN = /^(-|0|unknown|n\/a|null)$/i;

/** A code may take any form (`DCH`, `ISP/MOB`, `V6X`, lower case); longer texts are names or prose. */
const LONGEST = 32;
/** A layer with more distinct codes has something else in that field. */
export const MOST_USAGE_CODES = 64;

/** Passes a usage code through unchanged (interface, Network object); undefined where a text cannot be one. */
export function usageCode(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const code = value.trim();
  return code === '' || code.length > LONGEST || /\p{C}/u.test(code) || UNKNOWN.test(code) ? undefined : code;
}

const UNKNOWN = /^(-|0|unknown|n\/a|null)$/i;

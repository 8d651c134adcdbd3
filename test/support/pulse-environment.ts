const compiled = process.env['NODE_COMPILE_CACHE'];

/**
 * A `pulse` process under test gets only the path, and the folder where one test run keeps its compiled code.
 */
export const pulseEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  ...(compiled !== undefined && { NODE_COMPILE_CACHE: compiled }),
};

/** A test that asks until an answer holds must reach no limit of lookups without a key. */
export const MANY_ANONYMOUS = { PULSE_ANON_PER_MIN: '1000000000', PULSE_ANON_PER_DAY: '1000000000' } as const;

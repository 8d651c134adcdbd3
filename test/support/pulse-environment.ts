const compiled = process.env['NODE_COMPILE_CACHE'];

/**
 * Environment of a `pulse` process under test, from this process's environment: the path, and the folder
 * where one test run keeps its compiled code.
 */
export const pulseEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  ...(compiled !== undefined && { NODE_COMPILE_CACHE: compiled }),
};

/** Lookups without a key have no limit that a test reaches, as where one asks again until an answer holds. */
export const MANY_ANONYMOUS = { PULSE_ANON_PER_MIN: '1000000000', PULSE_ANON_PER_DAY: '1000000000' } as const;

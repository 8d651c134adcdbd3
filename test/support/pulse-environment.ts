const compiled = process.env['NODE_COMPILE_CACHE'];

/** Environment of a `pulse` process under test, from this process's environment: the path, and the folder where one test run keeps its compiled code. */
export const pulseEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  ...(compiled !== undefined && { NODE_COMPILE_CACHE: compiled }),
};

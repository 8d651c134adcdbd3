/**
 * Entry of the command line. Without a starter that has opened the cache of compiled code, it opens it before it
 * loads anything else: half of the time of a short command is reading and compiling files that the cache holds.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { keepCompiledCode } from '../main/keep-compiled-code.ts';

// `serve` makes the folder. The data folder is found as in config.ts, which is not loaded yet.
const compiled = join(resolve(process.env.PULSE_DATA_DIR?.trim() || './var'), 'cache');
if (process.env.NODE_COMPILE_CACHE === undefined && isMainThread && existsSync(compiled)) keepCompiledCode(compiled);
const [{ COMMANDS }, { runProgram }] = await Promise.all([import('./commands.ts'), import('./run-program.ts')]);
await runProgram({
  name: 'pulse',
  description: 'IP risk, geolocation and phone-number risk, on your own machine.',
  commands: COMMANDS,
});

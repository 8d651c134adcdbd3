/**
 * Entry of the command line. Without a starter that has opened the cache of compiled code, it opens it before it
 * loads anything else: half of the time of a short command is reading and compiling files that the cache holds.
 */
import './restart-requested.ts';
import { enableCompileCache } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { compiledCode } from '../adapters/data-folder/compiled-code.mjs';

if (isMainThread) {
  const env = compiledCode(process.cwd());
  Object.assign(process.env, env);
  if (env.NODE_COMPILE_CACHE !== undefined) enableCompileCache(env.NODE_COMPILE_CACHE);
}
const [{ COMMANDS }, { runProgram }] = await Promise.all([import('./commands.ts'), import('./run-program.ts')]);
await runProgram({
  name: 'pulse',
  description: 'IP risk, geolocation and phone-number risk, on your own machine.',
  commands: COMMANDS,
});

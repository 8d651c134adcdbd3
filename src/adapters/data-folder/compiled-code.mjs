// Plain JavaScript: starters read it, on any Node, and before the cache holds code of TypeScript files.
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const OTHER_USERS = 0o077;

/**
 * Returns why the compiled code in a folder must not be used; undefined if it may be. V8 executes the code
 * without checking it, so the folder must be this user's and closed to all others: nobody else can have put
 * anything into it. A missing folder is created like that. Windows has no such owners.
 * @throws Error of the file system, except for a missing folder
 */
export function checkCompiledCode(folder) {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  mkdirSync(dirname(folder), { recursive: true });
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return void mkdirSync(folder, { mode: 0o700 });
  if (!found.isDirectory()) return `${folder} is not a folder`;
  if (found.uid !== user) return `${folder} is not a folder of this user`;
  return (found.mode & OTHER_USERS) === 0 ? undefined : `${folder} is open to other users: remove it`;
}

/**
 * The environment in which Node reads compiled code of the data folder from its first file on; empty without such code, or where it is not to be trusted. A short command takes half
 * of the processor time then: nothing of it needs Node's reader of types. `serve` makes the folder, and finds it as config.ts does.
 * @param cwd the folder in which the command runs
 */
export function compiledCode(cwd) {
  const folder = join(resolve(cwd, process.env.PULSE_DATA_DIR?.trim() || './var'), 'cache');
  const isUsed =
    process.env.NODE_COMPILE_CACHE === undefined && existsSync(folder) && checkCompiledCode(folder) === undefined;
  return isUsed ? { NODE_COMPILE_CACHE: folder } : {};
}

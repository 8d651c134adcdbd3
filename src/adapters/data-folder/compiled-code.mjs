// Plain JavaScript: starters read it, on any Node, and before the cache holds code of TypeScript files.
import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Returns why the compiled code in a folder must not be used; undefined if it may be. V8 executes the code
 * without checking it, so no other user may be able to write to the folder, and everything in it must belong to
 * this user. A missing folder is created, closed. Windows has no such owners.
 * @throws Error of the file system, except for a missing file
 */
export function checkCompiledCode(folder) {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  mkdirSync(dirname(folder), { recursive: true });
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return void mkdirSync(folder, { mode: 0o700 });
  if (!found.isDirectory()) return `${folder} is not a folder`;
  if ((found.mode & WRITABLE_BY_OTHERS) !== 0) return `other users may write to ${folder}`;
  const foreign = firstForeign(folder, user);
  return foreign === undefined ? undefined : `${foreign} is not a file or folder of this user`;
}

/** Links are not followed, because they may lead anywhere. */
function firstForeign(path, user) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // Node writes under a temporary name first; a file that has vanished meanwhile is harmless.
  if (found === undefined) return undefined;
  if (found.uid !== user || !(found.isFile() || found.isDirectory())) return path;
  if (found.isFile()) return undefined;
  for (const name of readdirSync(path)) {
    const foreign = firstForeign(join(path, name), user);
    if (foreign !== undefined) return foreign;
  }
  return undefined;
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

import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Write permission of the group and of others. */
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Why the compiled code in a folder must not be used, or undefined when it may be. V8 executes it unread, so
 * that who writes there decides which code runs: the folder must be closed to all other users, and all that
 * is in it must be this user's own. Makes the folder, closed, when there is none. Windows has no such owners.
 * @throws Error of the file system other than "there is none"
 */
export function checkCompiledCode(folder: string): string | undefined {
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

/**
 * The first path at or below `path` that is not this user's own file or folder. Links are not followed: they
 * may lead to anything.
 */
function firstForeign(path: string, user: number): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // Node writes its files under another name first: one that went meanwhile harms nothing.
  if (found === undefined) return undefined;
  if (found.uid !== user || !(found.isFile() || found.isDirectory())) return path;
  if (found.isFile()) return undefined;
  for (const name of readdirSync(path)) {
    const foreign = firstForeign(join(path, name), user);
    if (foreign !== undefined) return foreign;
  }
  return undefined;
}

import { enableCompileCache } from 'node:module';
import { checkCompiledCode } from '../adapters/data-folder/check-compiled-code.ts';

/**
 * Compiled code of this program is kept in a folder, for this thread and those it starts: the next start takes about half the time.
 * @returns why it is not, where the folder cannot be trusted
 */
export function keepCompiledCode(folder: string): string | undefined {
  const fault = checkCompiledCode(folder);
  if (fault !== undefined) return fault;
  const { directory } = enableCompileCache(folder);
  if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= folder;
  return undefined;
}

import { enableCompileCache } from 'node:module';
import { checkCompiledCode } from '../adapters/data-folder/compiled-code.mjs';

/**
 * Caches compiled code in a folder, which halves the time of a start. A starter may have checked the folder and
 * opened the cache already. @returns why the folder is not trusted; undefined if it is used
 */
export function keepCompiledCode(folder: string): string | undefined {
  if (process.env['NODE_COMPILE_CACHE'] === folder) return undefined;
  const fault = checkCompiledCode(folder);
  if (fault !== undefined) return fault;
  const { directory } = enableCompileCache(folder);
  if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= folder;
  return undefined;
}

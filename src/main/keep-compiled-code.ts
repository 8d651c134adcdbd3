import { enableCompileCache } from 'node:module';
import { checkCompiledCode } from '../adapters/data-folder/check-compiled-code.ts';

/** Keeps compiled code in a folder: a start takes half the time. @returns why not, where it is not trusted */
export function keepCompiledCode(folder: string): string | undefined {
  const fault = checkCompiledCode(folder);
  if (fault !== undefined) return fault;
  const { directory } = enableCompileCache(folder);
  if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= folder;
  return undefined;
}

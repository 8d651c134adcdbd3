import type { FunctionSignature } from 'node:ffi';
import { createRequire } from 'node:module';

const load = () => loadLibc({ malloc_trim: { arguments: ['uint64'], return: 'int32' } });
let libc: ReturnType<typeof load> | null;

export function trimMemory(): void {
  libc ??= load() ?? null;
  libc?.malloc_trim(0n);
}

/** @returns undefined where there is no C library, on Windows, and before Node 26.1 */
export function loadLibc<Names extends Record<string, FunctionSignature>>(signatures: Names) {
  const { emitWarning } = process;
  // The module is experimental and prints a warning at each start; our version of the runtime is fixed.
  process.emitWarning = () => undefined;
  try {
    const { dlopen, toArrayBuffer } = createRequire(import.meta.url)('node:ffi') as typeof import('node:ffi');
    return { ...dlopen(null, signatures).functions, toArrayBuffer };
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

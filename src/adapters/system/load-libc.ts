import type { FunctionSignature } from 'node:ffi';
import { createRequire } from 'node:module';

/** Functions of the C library. @returns undefined without them, on Windows, and before Node 26.1 */
export function loadLibc<Names extends Record<string, FunctionSignature>>(signatures: Names) {
  const { emitWarning } = process;
  // The module is experimental and says so at each start; the runtime is pinned.
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

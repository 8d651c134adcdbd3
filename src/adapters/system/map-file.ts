import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

type Libc = NonNullable<ReturnType<typeof loadLibc>>;

let libc: Libc | undefined;
/** Bytes by place. A mapping ends when its thread holds no view of it any more or exits; that of a thread which is terminated stays. */
const mapped = new Map<bigint, number>();
const unmap = (at: bigint): void => {
  const size = mapped.get(at);
  if (size !== undefined && mapped.delete(at)) libc?.munmap(at, BigInt(size));
};
const forgotten = new FinalizationRegistry(unmap);
process.once('exit', () => isMainThread || [...mapped.keys()].forEach(unmap));

/**
 * A file as memory: its pages are read when they are first touched, and stay the operating system's, which drops and shares them (mmap(2), POSIX.1-2017).
 * Reading only: a write ends the process, and so does reading past the end of a file that another program cut off. Removing or replacing the file does no harm.
 * A runtime without foreign functions reads the whole file.
 * @throws the error of the file system; Error for an empty file or where no memory is left to map it
 */
export function mapFile(path: string): ArrayBuffer {
  libc ??= loadLibc();
  if (libc === undefined) return new Uint8Array(readFileSync(path)).buffer;
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const at = libc.mmap(0n, BigInt(size), PROT_READ, MAP_SHARED, file, 0n);
    if (at === MAP_FAILED) throw new Error(`${path} cannot be mapped into memory`);
    const buffer = libc.toArrayBuffer(at, size, false);
    mapped.set(at, size);
    forgotten.register(buffer, at);
    return buffer;
  } finally {
    closeSync(file);
  }
}

const PROT_READ = 1;
const MAP_SHARED = 1;
const MAP_FAILED = 0xffff_ffff_ffff_ffffn;

/** Undefined on Windows and before Node 26.1. */
function loadLibc() {
  const { emitWarning } = process;
  // The module is experimental and says so at each start; the runtime is pinned.
  process.emitWarning = () => undefined;
  try {
    const { dlopen, toArrayBuffer } = createRequire(import.meta.url)('node:ffi') as typeof import('node:ffi');
    const { functions } = dlopen(null, {
      mmap: { arguments: ['pointer', 'uint64', 'int32', 'int32', 'int32', 'int64'], return: 'pointer' },
      munmap: { arguments: ['pointer', 'uint64'], return: 'int32' },
    });
    return { ...functions, toArrayBuffer };
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

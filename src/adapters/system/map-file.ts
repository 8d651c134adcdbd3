import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { loadLibc } from './own-process.ts';

type Libc = NonNullable<ReturnType<typeof loadMapping>>;

interface Mapping {
  readonly at: bigint;
  readonly size: number;
  readonly users: Int32Array<SharedArrayBuffer>;
}

/**
 * A file mapped once for the process; every thread that receives it sees the same memory until its last object is
 * gone. `mapping`: undefined if the runtime has no foreign functions; each thread then reads the file.
 */
export interface SharedFile {
  readonly path: string;
  readonly mapping?: Mapping | undefined;
}

let libc: Libc | undefined;
/** Uses of a terminated thread remain, and so do its mappings. */
const holds = new Set<{ readonly mapping: Mapping }>();
const views = new WeakMap<ArrayBufferLike, Mapping>();
const forgotten = new FinalizationRegistry(release);
process.once('exit', () => isMainThread || [...holds].forEach(release));

/**
 * Maps a file into memory. Pages are read at first touch and belong to the operating system, which may drop
 * and share them (mmap(2), POSIX.1-2017). The memory is read-only: a write ends the process, and so does a
 * read past the end of a truncated file. Removing or replacing the file is safe. A runtime without foreign
 * functions reads the whole file.
 * @throws the error of the file system; Error for an empty file or if there is no memory left to map it
 */
export function mapFile(path: string): ArrayBuffer {
  libc ??= loadMapping();
  if (libc === undefined) return new Uint8Array(readFileSync(path)).buffer;
  return viewOf(libc, newMapping(libc, path));
}

export function shareFile(path: string): SharedFile {
  libc ??= loadMapping();
  const mapping = libc && newMapping(libc, path);
  const shared: SharedFile = { path, mapping };
  if (mapping !== undefined) hold(shared, mapping);
  return shared;
}

/** Opens a file that another thread shared, or maps it again if that mapping has ended. @throws as `mapFile` */
export function openShared({ path, mapping }: SharedFile): ArrayBuffer {
  libc ??= loadMapping();
  return mapping !== undefined && libc !== undefined && isHeld(mapping) ? viewOf(libc, mapping) : mapFile(path);
}

/**
 * Releases the touched pages of a mapped file from this process; they return from the system's cache when
 * touched again (madvise(2)). Call it after reading a whole file once. It does nothing to other memory.
 */
export function dropPages(buffer: ArrayBufferLike): void {
  const mapping = views.get(buffer);
  if (mapping !== undefined) libc?.madvise(mapping.at, BigInt(mapping.size), MADV_DONTNEED);
}

function isHeld({ users }: Mapping): boolean {
  for (let count = Atomics.load(users, 0); count > 0; count = Atomics.load(users, 0))
    if (Atomics.compareExchange(users, 0, count, count + 1) === count) return true;
  return false;
}

function viewOf({ toArrayBuffer }: Libc, mapping: Mapping): ArrayBuffer {
  const buffer = toArrayBuffer(mapping.at, mapping.size, false);
  hold(buffer, mapping);
  views.set(buffer, mapping);
  return buffer;
}

function hold(object: object, mapping: Mapping): void {
  const token = { mapping };
  holds.add(token);
  forgotten.register(object, token);
}

function release(token: { readonly mapping: Mapping }): void {
  const { at, size, users } = token.mapping;
  if (holds.delete(token) && Atomics.sub(users, 0, 1) === 1) libc?.munmap(at, BigInt(size));
}

function newMapping({ mmap }: Libc, path: string): Mapping {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const at = mmap(0n, BigInt(size), PROT_READ, MAP_SHARED, file, 0n);
    if (at === MAP_FAILED) throw new Error(`${path} cannot be mapped into memory`);
    return { at, size, users: new Int32Array(new SharedArrayBuffer(4)).fill(1) };
  } finally {
    closeSync(file);
  }
}

const loadMapping = () =>
  loadLibc({
    mmap: { arguments: ['pointer', 'uint64', 'int32', 'int32', 'int32', 'int64'], return: 'pointer' },
    madvise: { arguments: ['pointer', 'uint64', 'int32'], return: 'int32' },
    munmap: { arguments: ['pointer', 'uint64'], return: 'int32' },
  });

const PROT_READ = 1;
const MAP_SHARED = 1;
const MADV_DONTNEED = 4;
const MAP_FAILED = 0xffff_ffff_ffff_ffffn;

const PACKED = /\.(?:gz|zst)$/i;

export const unpackedName = (name: string): string => name.replace(PACKED, '');

export const packedNames = (name: string): readonly string[] => [name, `${name}.gz`, `${name}.zst`];

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { loadLibc } from './load-libc.ts';

type Libc = NonNullable<ReturnType<typeof loadMapping>>;

/** A stretch of memory that shows a file. It ends with its last user in any thread. */
interface Mapping {
  readonly at: bigint;
  readonly size: number;
  /** How many hold it. Shared by the threads. */
  readonly users: Int32Array<SharedArrayBuffer>;
}

/** A file that this process maps once; sent to another thread, it is the same memory there. The memory lasts as long as this object does. */
export interface SharedFile {
  readonly path: string;
  /** Undefined where the runtime has no foreign functions: each thread reads the file. */
  readonly mapping?: Mapping | undefined;
}

let libc: Libc | undefined;
/** The holds of this thread. Those of a thread that is terminated stay, and its mappings with them. */
const holds = new Set<{ readonly mapping: Mapping }>();
const views = new WeakMap<ArrayBufferLike, Mapping>();
const forgotten = new FinalizationRegistry(release);
process.once('exit', () => isMainThread || [...holds].forEach(release));

/**
 * A file as memory: its pages are read when they are first touched, and stay the operating system's, which drops and shares them (mmap(2), POSIX.1-2017).
 * Reading only: a write ends the process, and so does reading past the end of a file that another program cut off. Removing or replacing the file does no harm.
 * A runtime without foreign functions reads the whole file.
 * @throws the error of the file system; Error for an empty file or where no memory is left to map it
 */
export function mapFile(path: string): ArrayBuffer {
  libc ??= loadMapping();
  if (libc === undefined) return new Uint8Array(readFileSync(path)).buffer;
  return viewOf(libc, newMapping(libc, path));
}

/** Maps a file for several threads. @throws as `mapFile` */
export function shareFile(path: string): SharedFile {
  libc ??= loadMapping();
  const mapping = libc && newMapping(libc, path);
  const shared: SharedFile = { path, mapping };
  if (mapping !== undefined) hold(shared, mapping);
  return shared;
}

/** The memory of a file that a thread shared, or one of its own when that has ended. @throws as `mapFile` */
export function openShared({ path, mapping }: SharedFile): ArrayBuffer {
  libc ??= loadMapping();
  return mapping !== undefined && libc !== undefined && isHeld(mapping) ? viewOf(libc, mapping) : mapFile(path);
}

/**
 * Takes the pages of a mapped file that were touched out of this process's memory; they come back from the system's as they are touched again (madvise(2)).
 * For a reader that has read the file once from end to end. Does nothing to other memory.
 */
export function dropPages(buffer: ArrayBufferLike): void {
  const mapping = views.get(buffer);
  if (mapping !== undefined) libc?.madvise(mapping.at, BigInt(mapping.size), MADV_DONTNEED);
}

/** Adds a user, unless the last one has gone. */
function isHeld({ users }: Mapping): boolean {
  for (let count = Atomics.load(users, 0); count > 0; count = Atomics.load(users, 0))
    if (Atomics.compareExchange(users, 0, count, count + 1) === count) return true;
  return false;
}

/** @param mapping with the user counted that the view is */
function viewOf({ toArrayBuffer }: Libc, mapping: Mapping): ArrayBuffer {
  const buffer = toArrayBuffer(mapping.at, mapping.size, false);
  hold(buffer, mapping);
  views.set(buffer, mapping);
  return buffer;
}

/** The user that was counted lasts as long as an object of this thread. */
function hold(object: object, mapping: Mapping): void {
  const token = { mapping };
  holds.add(token);
  forgotten.register(object, token);
}

function release(token: { readonly mapping: Mapping }): void {
  const { at, size, users } = token.mapping;
  if (holds.delete(token) && Atomics.sub(users, 0, 1) === 1) libc?.munmap(at, BigInt(size));
}

/** A new mapping with one user. */
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

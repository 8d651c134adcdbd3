import { loadLibc } from './load-libc.ts';

const load = () => loadLibc({ malloc_trim: { arguments: ['uint64'], return: 'int32' } });
let libc: ReturnType<typeof load> | null;

export function trimMemory(): void {
  libc ??= load() ?? null;
  libc?.malloc_trim(0n);
}

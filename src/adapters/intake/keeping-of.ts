import type { Redis } from 'iovalkey';

/**
 * What becomes of an entry that the server answered for. `always`: it is on the disk. `second`: a crash of the server loses nothing, a power cut at most its last second;
 * `system`: a power cut loses what the kernel had not written. `memory`: there is no append-only file; `evicting`: it may be thrown away for lack of memory.
 */
export type Keeping = 'always' | 'second' | 'system' | 'memory' | 'evicting';

/** Asks a server how it keeps what it is given. One that does not show its settings is taken to write every second, the default of an append-only file. */
export async function keepingOf(redis: Redis): Promise<Keeping> {
  const info = await redis.info();
  const fieldOf = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  if (fieldOf('maxmemory') !== '0' && fieldOf('maxmemory_policy')?.startsWith('allkeys-') === true) return 'evicting';
  if (fieldOf('aof_enabled') !== '1') return 'memory';
  const [, appendfsync] = (await redis.config('GET', 'appendfsync').catch(() => [])) as readonly string[];
  return appendfsync === 'always' ? 'always' : appendfsync === 'no' ? 'system' : 'second';
}

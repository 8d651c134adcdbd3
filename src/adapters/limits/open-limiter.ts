import type { Config } from '../../config.ts';
import type { Limiter } from '../../service/limiter.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import type { MemoryLimiter } from './memory/memory-limiter.ts';

const PATIENCE_MS = 2000;

export interface OpenLimiter {
  readonly limiter: Limiter;
  close(): void;
}

/** @param local counts `perNode` counters, and all counters while Redis is away */
export async function openLimiter(
  config: Pick<Config, 'redisUrl' | 'dataDir' | 'secret'>,
  local: MemoryLimiter,
): Promise<OpenLimiter> {
  if (config.redisUrl === undefined) return { limiter: local, close: () => {} };
  const { RedisLimiter } = await import('./redis/redis-limiter.ts');
  const limiter = new RedisLimiter({
    url: config.redisUrl,
    fallback: local,
    secret: loadSecret(config).subkey('limits'),
  });
  await limiter.ready(PATIENCE_MS);
  return { limiter, close: () => limiter.close() };
}

import { type PostgresServer, startPostgres } from './postgres.ts';
import { type RedisServer, startRedis } from './redis.ts';

export interface Stores {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly databaseUrl: string;
  readonly env: Readonly<Record<'PULSE_DATABASE_URL' | 'PULSE_REDIS_URL', string>>;
  dispose(): Promise<void>;
}

/** Starts both stores, or returns the reason why one of them cannot be had here, for `t.skip`. */
export async function startStores(): Promise<Stores | { readonly skip: string }> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  if ('skip' in postgres || 'skip' in redis) {
    for (const one of [postgres, redis]) if (!('skip' in one)) await one.dispose();
    return 'skip' in postgres ? postgres : (redis as { readonly skip: string });
  }
  const databaseUrl = await postgres.createDatabase();
  return {
    postgres,
    redis,
    databaseUrl,
    env: { PULSE_DATABASE_URL: databaseUrl, PULSE_REDIS_URL: redis.url },
    async dispose() {
      postgres.resume();
      redis.resume();
      await Promise.all([postgres.dispose(), redis.dispose()]);
    },
  };
}

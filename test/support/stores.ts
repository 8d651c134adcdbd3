import { type PostgresServer, sharedPostgres } from './postgres.ts';
import { type RedisServer, startRedis } from './redis.ts';

export interface Stores {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly databaseUrl: string;
  readonly env: Readonly<Record<'PULSE_DATABASE_URL' | 'PULSE_REDIS_URL', string>>;
}

let counters: ReturnType<typeof startRedis> | undefined;

/**
 * Both stores of all test files that this process takes, with an empty database and an empty Redis, or the
 * reason why one of them cannot be had here, for `t.skip`. They end with the process.
 */
export async function sharedStores(): Promise<Stores | { readonly skip: string }> {
  counters ??= startRedis();
  const [postgres, redis] = await Promise.all([sharedPostgres(), counters]);
  if ('skip' in postgres) return postgres;
  if ('skip' in redis) return redis;
  // A failed test may have left them frozen.
  postgres.resume();
  await redis.stop();
  await redis.start(true);
  const databaseUrl = await postgres.createDatabase();
  return { postgres, redis, databaseUrl, env: { PULSE_DATABASE_URL: databaseUrl, PULSE_REDIS_URL: redis.url } };
}

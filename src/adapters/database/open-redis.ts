import { Redis } from 'iovalkey';

const ANSWER_WITHIN_MS = 500;

export interface RedisUse {
  /** Name of the connection, as CLIENT LIST shows it. */
  readonly name: string;
  /** Lua scripts by the name of the method that runs each. */
  readonly scripts: Readonly<Record<string, { readonly lua: string }>>;
  /** After so long without an answer a command fails; 500 ms when left out. */
  readonly answerWithinMs?: number | undefined;
}

/** A connection for counters: it fails at once rather than queue, sends nothing twice, comes back by itself. */
export function openRedis<Scripted extends Redis>(
  url: string,
  { name, scripts, answerWithinMs = ANSWER_WITHIN_MS }: RedisUse,
): Scripted {
  const redis = new Redis(url, {
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: answerWithinMs,
    connectTimeout: 2000,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, 1000),
    connectionName: name,
    scripts: { ...scripts },
  });
  // Every failed attempt to connect is an event; the owner keeps the state, which is the one thing worth knowing.
  redis.on('error', () => {});
  return redis as Scripted;
}

import { Redis } from 'iovalkey';

const ANSWER_WITHIN_MS = 500;

export interface RedisUse {
  readonly name: string;
  readonly scripts: Readonly<Record<string, { readonly lua: string }>>;
  readonly answerWithinMs?: number | undefined;
}

/**
 * Opens a connection for counters. Commands fail at once instead of queueing, nothing is sent twice, and the
 * connection reconnects by itself.
 */
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
  // Each failed attempt to connect emits this event. The owner watches the connection's state instead.
  redis.on('error', () => {});
  return redis as Scripted;
}

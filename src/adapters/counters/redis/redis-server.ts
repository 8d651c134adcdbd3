import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import { clockOffset } from '../../../core/clock-offset.ts';
import { unixMs } from '../../../core/units.ts';
import { openRedis } from '../../database/open-redis.ts';
import { type NetworkFault, NO_ANSWER, networkFault } from '../../system/system-fault.ts';

/**
 * Says why Redis cannot count now, without anything secret. `refused` is set when waiting cannot help,
 * `vague` when the error only says that there is no connection.
 */
export interface RedisFault extends NetworkFault {
  readonly refused?: true;
  readonly readOnly?: boolean;
  readonly vague?: boolean;
}

const CLUSTER: RedisFault = {
  cause:
    'it is a Redis Cluster, which cannot keep one count in the order of its charges; name a single server, or a TCP proxy that leads to the primary',
  kind: 'cluster',
  refused: true,
};

/**
 * Asks the server for its name. Another name means that it may lack charges which were answered: after a restart
 * it has another run, after a promotion another replication.
 * @throws Error when it does not tell, or is part of a cluster
 */
export async function serverOf(redis: Redis): Promise<string> {
  const [server, replication] = await Promise.all([redis.info('server'), redis.info('replication')]);
  if (field(server, 'redis_mode') === 'cluster') throw new Error('CLUSTERDOWN');
  const run = field(server, 'run_id');
  if (run === undefined) throw new Error('INFO names no run_id');
  if (field(replication, 'role') === 'slave') throw new Error("READONLY You can't write against a read only replica.");
  return createHash('sha256')
    .update(`${run} ${field(replication, 'master_replid') ?? ''}`)
    .digest('base64url')
    .slice(0, 10);
}

const field = (info: string, name: string): string | undefined =>
  info
    .split('\r\n')
    .find((line) => line.startsWith(`${name}:`))
    ?.slice(name.length + 1);

const CAUSES: readonly (readonly [RegExp, RedisFault])[] = [
  [/^MOVED|^CLUSTERDOWN|^CROSSSLOT/, CLUSTER],
  [
    /^READONLY/,
    { cause: 'it is a read-only replica; lead the address to the primary', kind: 'read_only', readOnly: true },
  ],
  [/^OOM/, { cause: 'its maxmemory is used up; raise it, with maxmemory-policy noeviction', kind: 'memory_used_up' }],
  [/^(NOAUTH|WRONGPASS)|^ERR .*\bAUTH\b/, { cause: 'it refuses user or password of the address', kind: 'credentials' }],
  [/^NOPERM/, { cause: 'its user lacks the right to a command; it needs +@all on ~pulse:*', kind: 'no_right' }],
  [/^LOADING/, { cause: 'it loads its data', kind: 'starting' }],
  [/^MISCONF/, { cause: 'it cannot write to its disk and refuses changes', kind: 'disk' }],
  [/timed out/, NO_ANSWER],
  [
    /ECONNRESET|EPIPE|Connection is closed|isn't writeable|max retries/,
    { cause: 'the connection is closed', kind: 'stopped', vague: true },
  ],
];

export function redisFault(error: unknown): RedisFault {
  const text = error instanceof Error ? textOf(error) : String(error);
  const known = networkFault(text) ?? CAUSES.find(([pattern]) => pattern.test(text))?.[1];
  return known ?? { cause: text.slice(0, 200), kind: 'other' };
}

export function redisAddress(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port === '' ? 6379 : port}${pathname === '/' ? '' : pathname}`;
}

/** Returns the clock of the server less that of this machine, milliseconds. */
export async function clockOffsetOf(redis: Redis): Promise<number> {
  const before = Date.now();
  const [seconds, microseconds] = (await redis.time()).map(Number);
  return clockOffset(unixMs(seconds! * 1000 + Math.floor(microseconds! / 1000)), before, Date.now());
}

export type RedisSeen =
  | { readonly fault: RedisFault }
  | { readonly fault: undefined; readonly version: string; readonly policy: string; readonly offsetMs: number };

export async function askRedis(url: string, withinMs: number): Promise<RedisSeen> {
  let failed: unknown = new Error('Command timed out');
  const redis = openRedis(url, { name: 'pulse-check', scripts: {}, answerWithinMs: withinMs });
  redis.on('error', (error) => {
    failed = error;
  });
  const until = performance.now() + withinMs;
  try {
    while (redis.status !== 'ready' && performance.now() < until) await setTimeout(20);
    if (redis.status !== 'ready') return { fault: redisFault(failed) };
    await serverOf(redis);
    await redis.set('pulse:check', '1', 'EX', 1);
    const offsetMs = await clockOffsetOf(redis);
    const info = await redis.info('server');
    const version = field(info, 'valkey_version') ?? field(info, 'redis_version') ?? '';
    const policy = field(await redis.info('memory'), 'maxmemory_policy') ?? '';
    return { fault: undefined, version, policy, offsetMs };
  } catch (error) {
    return { fault: redisFault(error) };
  } finally {
    redis.disconnect();
  }
}

const textOf = (error: Error): string =>
  error.message !== '' ? error.message : error instanceof AggregateError ? textOf(error.errors[0]) : error.name;

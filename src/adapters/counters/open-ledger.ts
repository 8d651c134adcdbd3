import type { Config } from '../../config.ts';
import type { Ledger } from '../../service/ports.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import type { Logger } from '../system/create-logger.ts';
import type { MemoryLedger } from './memory/memory-ledger.ts';

/** How long a starting node waits for Redis before it counts alone. */
const PATIENCE_MS = 2000;
const REPORT_EVERY_MS = 60_000;

/** Logs that the ledger log cannot be written, and that it can again, at most once a minute. */
export function reportLedgerFault(log: Logger): (error?: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let reported = false;
  return (error) => {
    if (error === undefined) {
      if (reported) log.info({}, 'the ledger log is written again; nothing that was answered is missing');
      reported = false;
    } else if (performance.now() - reportedAt >= REPORT_EVERY_MS) {
      log.error(
        { error },
        'the ledger log cannot be extended; when its reserve is used up, charges of look-ups wait in memory and phone numbers are refused. Free disk space',
      );
      reportedAt = performance.now();
      reported = true;
    }
  };
}

/**
 * Opens the ledger of one thread. @param local counts alone without Redis, and counts lookups while Redis is
 * away
 */
export async function openLedger(
  config: Pick<Config, 'redisUrl' | 'quotaTz' | 'dataDir' | 'secret'>,
  local: MemoryLedger,
  log: Logger,
): Promise<Ledger> {
  if (config.redisUrl === undefined) return local;
  const { RedisLedger } = await import('./redis/redis-ledger.ts');
  const ledger = new RedisLedger({
    url: config.redisUrl,
    zone: config.quotaTz,
    fallback: local,
    secret: loadSecret(config).subkey('client-address'),
    onState: (up) =>
      up
        ? log.info({}, 'Redis answers; counters are shared')
        : log.warn({}, 'Redis is away; look-ups are counted by this node alone'),
  });
  if (!(await ledger.ready(PATIENCE_MS))) log.warn({}, 'Redis is away; look-ups are counted by this node alone');
  return ledger;
}

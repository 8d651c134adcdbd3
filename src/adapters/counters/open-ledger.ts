import type { Config } from '../../config.ts';
import { fault } from '../../core/texts/said.ts';
import type { Ledger } from '../../service/ports.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import type { Logger } from '../system/create-logger.ts';
import { storeReport } from '../system/system-fault.ts';
import type { MemoryLedger } from './memory/memory-ledger.ts';
import { type RedisFault, redisAddress } from './redis/redis-server.ts';

const PATIENCE_MS = 2000;
const REPORT_EVERY_MS = 60_000;

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
        'the ledger log cannot be extended; when its reserve is used up, charges of lookups wait in memory and phone numbers are refused. Free disk space',
      );
      reportedAt = performance.now();
      reported = true;
    }
  };
}

const EXPLAINED_AFTER_MS = 500;

function stateReport(url: string, log: Logger): (fault: RedisFault | undefined) => void {
  const report = storeReport(
    { setting: 'PULSE_REDIS_URL', address: redisAddress(url) },
    (fields) =>
      log.warn(
        fields,
        'Redis cannot count; lookups are counted by this node alone, phone lookups are refused. Mend the cause; nothing needs a restart',
      ),
    (fields) => log.info(fields, 'Redis answers; counters are shared'),
  );
  let timer: NodeJS.Timeout | undefined;
  return (fault) => {
    clearTimeout(timer);
    timer = setTimeout(report, fault === undefined ? 0 : EXPLAINED_AFTER_MS, fault?.cause).unref();
  };
}

/** @throws Error for a server that can never count; each thread waits for one that is away */
export async function refuseUnusableRedis({ redisUrl }: Pick<Config, 'redisUrl'>): Promise<void> {
  if (redisUrl === undefined) return;
  const { askRedis } = await import('./redis/redis-server.ts');
  const { fault: found } = await askRedis(redisUrl, PATIENCE_MS);
  if (found?.refused) throw fault('PULSE_REDIS_URL cannot be used: {cause}', { cause: found.cause });
}

/**
 * Opens the ledger of one thread.
 * @param local counts alone without Redis, and counts lookups while Redis is away
 * @param reports whether this thread logs for the process that Redis went away or came back
 */
export async function openLedger(
  config: Pick<Config, 'redisUrl' | 'quotaTz' | 'dataDir' | 'secret'>,
  local: MemoryLedger,
  log: Logger,
  reports: boolean,
): Promise<Ledger> {
  if (config.redisUrl === undefined) return local;
  const { RedisLedger } = await import('./redis/redis-ledger.ts');
  const ledger = new RedisLedger({
    url: config.redisUrl,
    zone: config.quotaTz,
    fallback: local,
    secret: loadSecret(config).subkey('client-address'),
    onState: reports ? stateReport(config.redisUrl, log) : () => {},
  });
  await ledger.ready(PATIENCE_MS);
  return ledger;
}

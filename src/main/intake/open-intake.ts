import type { Keeping } from '../../adapters/intake/keeping-of.ts';
import type { SealKeys } from '../../adapters/intake/seal-entry.ts';
import type { Logger } from '../../adapters/system/create-logger.ts';
import type { Config } from '../../config.ts';
import type { IntakeRequest, SentBody } from '../../service/accept-captures.ts';
import type { IntakeAnswer } from '../../service/queue-captures.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import type { HistoryThread } from '../evidence/history-thread.ts';
import { ownAddresses } from '../evidence/load-intake-refusals.ts';

/** Where POST /v1/evidence brings what it was sent. */
export interface Intake {
  accept(body: SentBody, request: IntakeRequest): Promise<IntakeAnswer>;
  close(): Promise<void>;
}

/** A start waits so long for a server that may be starting, too. */
const PATIENCE_MS = 500;

/** What operators read of a server that keeps less than a sender may think. */
const KEEPING: Readonly<Record<Keeping, string | undefined>> = {
  always: undefined,
  second: 'captures that wait in the stream survive a crash of Redis; a power cut may take those of its last second (appendfsync everysec)',
  system: 'captures that wait in the stream survive a crash of Redis; a power cut may take those of its last half minute (appendfsync no)',
  memory: 'Redis keeps nothing on its disk, so that POST /v1/evidence is refused: set appendonly yes',
  evicting: 'Redis may throw away what waits when its memory is full, so that POST /v1/evidence is refused: set maxmemory-policy noeviction',
};

export function sealKeys(config: Config): SealKeys {
  const secret = loadSecret(config);
  return { current: secret.subkey('intake'), former: secret.formerSubkeys('intake') };
}

/** As PULSE_INTAKE says: into the store, or into the stream. @param direct what brings captures into the store */
export async function openIntake(config: Config, direct: HistoryThread, log: Logger): Promise<Intake> {
  if (config.intake === 'direct' || config.redisUrl === undefined) return { accept: (body, request) => direct.accept(body, request), async close() {} };
  const [{ RedisIntake }, { CheckThread }] = await Promise.all([import('../../adapters/intake/redis-intake.ts'), import('./check-thread.ts')]);
  let reported: Keeping | undefined;
  const onKeeping = (keeping: Keeping): void => {
    const sentence = KEEPING[keeping];
    if (sentence !== undefined && keeping !== reported) log.warn({}, sentence);
    reported = keeping;
  };
  const stream = new RedisIntake({ url: config.redisUrl, keys: sealKeys(config), onKeeping });
  await stream.ready(PATIENCE_MS);
  const checking = new CheckThread({ ...config, own: ownAddresses(config) }, stream);
  return {
    accept: (body, request) => checking.accept(body, request),
    async close() {
      await checking.close();
      stream.close();
    },
  };
}

import { clockRemark, isClockWrong } from '../../core/clock-offset.ts';
import { worded } from '../../core/texts/said.ts';
import { repeat } from '../../service/serving/repeat.ts';
import type { BackgroundJob } from './background-job.ts';

const EVERY_MS = 10_000;

export const clockWatchJob: BackgroundJob = {
  name: 'clock watch',
  async start(context) {
    const { config, log, publish } = context;
    if ((config.databaseUrl ?? config.redisUrl ?? config.snapshotUrl) === undefined) return { stop() {} };
    const { storeClocks } = await import('../store-findings.ts');
    const wrong = new Set<string>();
    const compare = async (): Promise<void> => {
      const clocks = await storeClocks(config);
      publish({ type: 'clocks', clocks });
      for (const seen of clocks) {
        const fields = { store: seen.name, offset_sec: seen.offsetMs / 1000 };
        if (!isClockWrong(seen)) {
          if (wrong.delete(seen.name)) log.info(fields, 'the clock agrees with that of the store again');
        } else if (!wrong.has(seen.name)) {
          wrong.add(seen.name);
          log.warn(fields, worded(clockRemark(seen)));
        }
      }
    };
    return repeat(context, 'clock watch', EVERY_MS, compare, {
      firstMs: 0,
      meanwhile: 'a wrong clock is not reported',
    });
  },
};

import { HistoryThread } from '../../adapters/evidence/history-thread.ts';
import { DAY_MS, MINUTE_MS } from '../../core/units.ts';
import { HISTORY_DAYS } from '../../service/ports.ts';
import { repeat } from '../../service/serving/repeat.ts';
import type { BackgroundJob, ControlContext } from './background-job.ts';

/**
 * The first compaction waits, so that it does not burden the start. A machine that restarts every night
 * compacts too.
 */
const FIRST_MS = MINUTE_MS;

export const compactJob: BackgroundJob = {
  name: 'compacting',
  async start(context) {
    const thread = new HistoryThread(context.config);
    const options = { firstMs: FIRST_MS, meanwhile: 'old evidence is kept' };
    const compacting = repeat(context, 'compacting', DAY_MS, () => compact(context, thread), options);
    return {
      async stop() {
        const stopped = compacting.stop();
        await thread.close();
        await stopped;
      },
    };
  },
};

export async function compact(
  { config, log, clock }: Pick<ControlContext, 'config' | 'log' | 'clock'>,
  thread: Pick<HistoryThread, 'compact'>,
): Promise<void> {
  const outcome = await thread.compact(clock.now(), config.historyDays ?? (await longestHistory(config)));
  if (outcome.spells + outcome.events > 0) log.info(outcome, 'compacted old evidence');
}

async function longestHistory(config: ControlContext['config']): Promise<number> {
  const { openAccounts } = await import('../../adapters/accounts/open-accounts.ts');
  const accounts = await openAccounts(config);
  try {
    return (await accounts.store.accounts()).reduce(
      (longest, { historyDays }) => Math.max(longest, historyDays ?? 0),
      HISTORY_DAYS,
    );
  } finally {
    await accounts.close();
  }
}

/** Entry of the thread that writes to the evidence store, so that no other thread waits while another process holds it. */
import { workerData } from 'node:worker_threads';
import { systemClock } from '../../adapters/system/clock.ts';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import { importCaptures } from '../../service/import-captures.ts';
import type { HistoryCall } from './history-thread.ts';
import { type HistoryTarget, type HistoryUse, openHistory } from './open-history.ts';

const { forCallers, ...target } = workerData as HistoryTarget & Required<Pick<HistoryUse, 'forCallers'>>;
const store = await openHistory(target, { forCallers });

answerCalls<HistoryCall, unknown>((call) => {
  switch (call.do) {
    case 'compact':
      return store.compact(...call.with);
    case 'import': {
      const [source, body, at] = call.with;
      return importCaptures(store, systemClock, [body], { source: { id: source, family: source, mode: 'events' }, capturedAt: at });
    }
    case 'close':
      return store.close();
  }
});

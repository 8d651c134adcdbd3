/**
 * This thread, started by ingest-job.ts, fetches, parses and stores feeds, so that no batch is passed between
 * threads.
 */

import { workerData } from 'node:worker_threads';
import { GeoFacts } from '../../adapters/evidence/geo-facts.ts';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { createLogger } from '../../adapters/system/create-logger.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import type { SourcesReport } from '../../service/ports.ts';
import type { IngestCall, IngestReport, IngestTarget } from './ingest-job.ts';
import { type RunningIngest, startIngest } from './start-ingest.ts';

const config = workerData as IngestTarget;
const geo = new GeoFacts();
const store = await openHistory(config, { facts: () => geo.facts() });
const log = createLogger(config.logLevel);
let running: RunningIngest | undefined;

answerCalls<IngestCall, void, IngestReport>(async (call, { report, signal }) => {
  if (call.do === 'refresh') return running?.ingest.refreshNow(call.id);
  if (call.do === 'use') return geo.use(call.geo);
  if (call.geo !== undefined) geo.use(call.geo);
  running = startIngest({
    config,
    store,
    clock: systemClock,
    log,
    own: config.own,
    died: call.died,
    hasNetworkData: () => geo.facts() !== undefined,
    onNetworkLists: (lists) => log.info({ lists: lists.map(({ id }) => id) }, 'network lists changed'),
    onHealth: (degraded, leftOut) => {
      report({ degraded, leftOut });
      void noteLeftOut(leftOut);
    },
    onUnderWay: (underWay) => report({ underWay }),
    onFault: (reason) => report({ reason }),
  });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
  await running.stop();
  await store.close();
});

/**
 * Notes the missing sources for other nodes and for questions about the past. The next note follows within a
 * minute; readers notice missing notes after some minutes.
 */
async function noteLeftOut(note: SourcesReport): Promise<void> {
  try {
    await store.noteLeftOut(note, systemClock.now());
  } catch (error) {
    log.warn({ err: error }, 'which sources verdicts lack could not be noted in the evidence store');
  }
}

import { FeedStateFiles } from '../../src/adapters/feeds/feed-state-files.ts';
import { QuarantineFiles } from '../../src/adapters/feeds/quarantine-files.ts';
import type { Feed } from '../../src/core/feeds/feed.ts';
import { type UnixMs, unixMs } from '../../src/core/units.ts';
import type { HistoryStore, RunOutcome } from '../../src/service/ports.ts';
import { testFolder } from './test-folder.ts';

export const NOW = unixMs(Date.UTC(2026, 10, 21, 12));

export const plainFeed = (id: string, url: string, more: Partial<Feed> = {}): Feed => ({
  id,
  title: id,
  family: id,
  url,
  licence: 'none',
  attribution: 'test',
  redistribution: 'allowed',
  clock: 'server',
  cadenceMin: 60,
  maxAgeHours: 12,
  mode: 'listing',
  bounds: { minRows: 1, maxRows: 1000, maxBytes: 10_000 },
  effect: { kind: 'risk', riskType: 'proxy' },
  format: { kind: 'lines' },
  files: [`${id}.txt`],
  ...more,
});

/**
 * Returns the options of reading a feed, over files of its own; the clock stands still until a test moves it.
 */
export function feedParts<Store extends HistoryStore>(store: Store, now: UnixMs = NOW) {
  const clock = { at: now, now: () => clock.at };
  const states = new FeedStateFiles(testFolder('feed-states'));
  const bodies = testFolder('feed-bodies');
  const parts = {
    store,
    states,
    clock,
    quarantine: new QuarantineFiles(bodies),
    networks: { put: () => false, knowsRelay: () => true },
  };
  return { clock, states, bodies, parts };
}

/** Remembers the runs it was given, and fails while it is broken. */
export function recordingStore() {
  const runs: { readonly source: string; readonly at: number; readonly rows: number }[] = [];
  let failure: Error | undefined;
  const record = (source: { readonly id: string }, at: number, batch: { readonly length: number }): RunOutcome => {
    if (failure !== undefined) throw failure;
    runs.push({ source: source.id, at, rows: batch.length });
    return {
      sequence: runs.length,
      rows: batch.length,
      added: batch.length,
      ended: 0,
      changed: true,
      refused: new Map(),
    };
  };
  const store = { recordRun: record, recordCaptures: record, recordFailure: () => {} } as unknown as HistoryStore;
  const breakStore = (error: Error | undefined): void => {
    failure = error;
  };
  return { store, runs, breakStore };
}

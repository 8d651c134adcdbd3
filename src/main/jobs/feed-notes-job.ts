import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readFeedNotes } from '../../adapters/feeds/open-feeds.ts';
import { repeat } from '../../service/serving/repeat.ts';
import type { BackgroundJob } from './background-job.ts';

/** A write by a command or another thread is shown this much later. */
const EVERY_MS = 1000;
/** A file system may give two changes within this time the same timestamp. */
const BLURRED_MS = 100;

/**
 * Reads the notes of feeds at the start and when their folder has changed, so that threads that answer open
 * no files.
 */
export const feedNotesJob: BackgroundJob = {
  name: 'feed notes',
  async start(context) {
    const { config, publish } = context;
    const folder = join(config.dataDir, 'feeds');
    mkdirSync(folder, { recursive: true });
    let seenMs = Number.NEGATIVE_INFINITY;
    let readMs = Number.NEGATIVE_INFINITY;
    const look = (): void => {
      const { mtimeMs } = statSync(folder);
      if (mtimeMs === seenMs && readMs > seenMs + BLURRED_MS) return;
      const startedMs = Date.now();
      publish({ type: 'feed-notes', notes: readFeedNotes(config) });
      [seenMs, readMs] = [mtimeMs, startedMs];
    };
    const looks = repeat(context, 'feed states', EVERY_MS, look, { meanwhile: 'the status page shows the last ones' });
    await looks.now();
    return looks;
  },
};

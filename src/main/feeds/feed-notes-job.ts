import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BackgroundJob } from '../background-job.ts';
import { readFeedNotes } from './feed-notes.ts';

/** What a command or another thread writes is shown after this long. */
const EVERY_MS = 1000;
/** A file system may give two changes within this time the same moment. */
const BLURRED_MS = 100;

/**
 * Reads the notes of feeds for the threads that answer requests, which open no file for a status page: at the start, and when the folder has changed (every
 * file in it is replaced by renaming, which changes the folder).
 */
export const feedNotesJob: BackgroundJob = {
  name: 'feed notes',
  async start({ config, log, publish }) {
    const folder = join(config.dataDir, 'feeds');
    mkdirSync(folder, { recursive: true });
    let seenMs = Number.NEGATIVE_INFINITY;
    let readMs = Number.NEGATIVE_INFINITY;
    const look = (): void => {
      try {
        const { mtimeMs } = statSync(folder);
        if (mtimeMs === seenMs && readMs > seenMs + BLURRED_MS) return;
        [seenMs, readMs] = [mtimeMs, Date.now()];
        publish({ type: 'feed-notes', notes: readFeedNotes(config) });
      } catch (error) {
        log.warn({ error }, 'the states of feeds cannot be read; the status page shows the last ones');
      }
    };
    look();
    const timer = setInterval(look, EVERY_MS).unref();
    return { stop: () => clearInterval(timer) };
  },
};

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BackgroundJob } from '../background-job.ts';

const LOOK_MS = 1000;

/**
 * Reports to HTTP threads, and by way of published lists to other nodes, that lists about networks changed, regardless of the writer: verified assistants follow within two seconds, without waiting for the image of
 * place and network that is built from the same lists.
 */
export const networkListsJob: BackgroundJob = {
  name: 'network lists',
  async start({ config, publish }) {
    const folder = join(config.dataDir, 'network');
    // Unknown at first: lists may have changed since the threads read them.
    let seen: string | undefined;
    const timer = setInterval(() => {
      const now = stampOf(folder);
      if (now === seen) return;
      seen = now;
      publish({ type: 'network-lists' });
    }, LOOK_MS);
    return { stop: () => clearInterval(timer) };
  },
};

/** Lists are replaced by renaming, so a list that changed has another time or size. */
function stampOf(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .map((name) => {
      const stat = statSync(join(folder, name), { throwIfNoEntry: false });
      return `${name} ${stat?.size} ${stat?.mtimeMs}`;
    })
    .join('\n');
}

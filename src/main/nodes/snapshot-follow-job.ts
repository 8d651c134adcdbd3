import { POLL_MS } from '../../service/evidence-follower.ts';
import type { BackgroundJob } from '../background-job.ts';
import { openHistory } from '../evidence/open-history.ts';
import { SnapshotFollowing } from './snapshot-following.ts';

/** How often pointers are read. */
const LOOK_MS = 1000;

/**
 * What a node of role `api` does instead of feeds and compiling: takes images that another node published, after checking them in full, and follows the
 * captures accepted since over the shared store. A file that is damaged or cut off is refused and the one before keeps serving.
 */
export const snapshotFollowJob: BackgroundJob = {
  name: 'published images',
  async start(context) {
    // Until the store has answered once, it is not known what published images lack.
    context.publish({ type: 'degraded', by: 'evidence', degraded: true });
    let following: SnapshotFollowing | undefined;
    const store = await openHistory(context.config, { forCallers: true, onLost: () => void following?.poll() });
    following = new SnapshotFollowing(context, store);
    await following.look();
    await following.poll();
    if (!following.serving) context.log.info({}, 'waiting for the first published images; look-ups answer not_ready until they are here');
    const started = following;
    const look = setInterval(() => void started.look(), LOOK_MS);
    const poll = setInterval(() => void started.poll(), POLL_MS);
    return {
      async stop() {
        clearInterval(look);
        clearInterval(poll);
        await started.close();
      },
    };
  },
};

import { unpackAssistantLists } from '../../adapters/assistants/assistant-lists.ts';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { followingIn, openSnapshots } from '../../adapters/snapshots/open-snapshots.ts';
import { SealedPointerError } from '../../adapters/snapshots/sealed-pointer.ts';
import { POLL_MS } from '../../service/compile/evidence-follower.ts';
import type { RepeatedWork } from '../../service/every.ts';
import { repeat } from '../../service/serving/repeat.ts';
import { SnapshotFollower } from '../../service/serving/snapshot-follower.ts';
import type { BackgroundJob } from './background-job.ts';

const LOOK_MS = 1000;

export const snapshotFollowJob: BackgroundJob = {
  name: 'published images',
  async start(context) {
    // Until the store answers for the first time, the sources missing from published images are unknown.
    context.publish({ type: 'degraded', by: 'evidence', degraded: true });
    let polls: RepeatedWork | undefined;
    const store = await openHistory(context.config, { forCallers: true, onLost: () => void polls?.now() });
    const following = new SnapshotFollower(
      {
        ...context,
        images: openSnapshots(
          context.config,
          followingIn(context.config, (error) =>
            context.log.warn({ error }, 'a published image cannot be kept on disk; it takes memory instead'),
          ),
        ),
        isForeign: (error) => error instanceof SealedPointerError,
        checkAssistants: unpackAssistantLists,
      },
      store,
    );
    await following.beginWithKept();
    await following.look();
    await following.poll();
    if (!following.serving)
      context.log.info({}, 'waiting for the first published images; lookups answer not_ready until they are here');
    const options = { meanwhile: 'what was there keeps serving', degrades: true };
    const looks = repeat(context, 'published images', LOOK_MS, () => following.look(), options);
    polls = repeat(context, 'captures since the published image', POLL_MS, () => following.poll(), options);
    return {
      async stop() {
        await Promise.all([looks.stop(), polls?.stop()]);
        await following.close();
      },
    };
  },
};

import type { BackgroundJob } from '../background-job.ts';
import { openHistory } from '../evidence/open-history.ts';
import { startDemo } from './open-demo-folder.ts';

/** Fills the demonstration's own folder with invented captures and keeps them fresh. */
export const demoJob: BackgroundJob = {
  name: 'demonstration',
  async start({ config, log, clock }) {
    const store = await openHistory(config);
    const running = await startDemo({ config, store, clock, log });
    return {
      async stop() {
        running.stop();
        await store.close();
      },
    };
  },
};

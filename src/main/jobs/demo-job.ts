import { fillDemo } from '../../adapters/data-folder/open-demo-folder.ts';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { DEMO_EVERY_MS, recordDemo } from '../../service/intake/record-demo.ts';
import { repeat } from '../../service/serving/repeat.ts';
import type { BackgroundJob } from './background-job.ts';

export const demoJob: BackgroundJob = {
  name: 'demonstration',
  async start(context) {
    const { config, clock } = context;
    const store = await openHistory(config);
    await fillDemo({ config, store, clock });
    const renewal = repeat(context, 'demonstration', DEMO_EVERY_MS, () => recordDemo(store, clock.now(), false), {
      meanwhile: 'its captures grow old',
    });
    return {
      async stop() {
        await renewal.stop();
        await store.close();
      },
    };
  },
};

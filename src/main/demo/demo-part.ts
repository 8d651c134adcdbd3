import type { ControlPart } from '../control-part.ts';
import { openHistory } from '../evidence/open-evidence.ts';
import { startDemo } from './demo.ts';

/** Fills the demonstration's own folder with invented captures and keeps them fresh. */
export const demoPart: ControlPart = {
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

import type { RepeatedWork } from '../../service/every.ts';
import type { BackgroundJob } from '../data/background-job.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import { repeat } from '../repeat.ts';
import { openPhoneHost } from './open-phone.ts';

/** How often the control thread looks for what an import wrote. */
const POLL_MS = 500;

/** Fills phone libraries that were never loaded, loads them into shared memory, and follows what imports write. */
export const phoneJob: BackgroundJob = {
  name: 'phone libraries',
  async start(context) {
    const { config, log, clock, publish: send } = context;
    let stopped = false;
    const host = openPhoneHost(config, loadSecret(config));
    if (host === undefined) return { stop() {} };
    const publish = async (): Promise<void> => {
      if (!(await host.poll())) return;
      const libraries = host.shared();
      if (libraries === undefined || stopped) return;
      for (const [library, shared] of Object.entries(libraries))
        if ('unavailable' in shared)
          log.error(
            { library, reason: shared.unavailable },
            'a phone library cannot be served; phone look-ups answer upstream_unavailable',
          );
      send({ type: 'phone', libraries });
    };
    let looks: RepeatedWork | undefined;
    const begun = host
      .prepare(clock.now())
      .then((filled) => {
        if (filled.length > 0)
          log.info({ libraries: filled }, 'phone libraries filled from the public disposable-number list');
      })
      .catch((error) => log.error({ error }, 'phone libraries could not be prepared'))
      .then(() => {
        if (!stopped)
          looks = repeat(context, 'phone libraries', POLL_MS, publish, {
            firstMs: 0,
            meanwhile: 'the libraries in use stay',
          });
      });
    return {
      async stop() {
        stopped = true;
        await begun;
        await looks?.stop();
      },
    };
  },
};

import type { BackgroundJob } from '../background-job.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import { openPhoneHost } from './open-phone.ts';

/** How often the control thread looks for what an import wrote. */
const POLL_MS = 500;

/** Fills phone libraries that were never loaded, loads them into shared memory, and follows what imports write. */
export const phoneJob: BackgroundJob = {
  name: 'phone libraries',
  async start({ config, log, clock, publish: send }) {
    let stopped = false;
    const host = openPhoneHost(config, loadSecret(config));
    if (host === undefined) return { stop() {} };
    const publish = async (): Promise<void> => {
      if (!(await host.poll())) return;
      const libraries = host.shared();
      if (libraries === undefined || stopped) return;
      for (const [library, shared] of Object.entries(libraries))
        if ('unavailable' in shared)
          log.error({ library, reason: shared.unavailable }, 'a phone library cannot be served; phone look-ups answer upstream_unavailable');
      send({ type: 'phone', libraries });
    };
    let looking: Promise<void> | undefined;
    const look = (): void => {
      looking ??= publish().finally(() => {
        looking = undefined;
      });
    };
    const begun = host
      .prepare(clock.now())
      .then((filled) => {
        if (filled.length > 0) log.info({ libraries: filled }, 'phone libraries filled from the public disposable-number list');
      })
      .catch((error) => log.error({ error }, 'phone libraries could not be prepared'))
      .then(() => {
        if (stopped) return;
        look();
        timer = setInterval(look, POLL_MS);
      });
    let timer: NodeJS.Timeout | undefined;
    return {
      async stop() {
        stopped = true;
        await begun;
        clearInterval(timer);
        await looking;
      },
    };
  },
};

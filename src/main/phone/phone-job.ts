import { prepareLibraries } from '../../adapters/phone-db/prepare-libraries.ts';
import type { BackgroundJob } from '../data/background-job.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import { openPhoneWriter } from './open-phone.ts';

/** Fills phone libraries that were never loaded. */
export const phoneJob: BackgroundJob = {
  name: 'phone libraries',
  async start({ config, log, clock }) {
    if (!config.phone) return { stop() {} };
    const writer = openPhoneWriter(config, loadSecret(config));
    const begun = prepareLibraries(writer, clock.now())
      .then((filled) => {
        if (filled.length > 0)
          log.info({ libraries: filled }, 'phone libraries filled from the public disposable-number list');
      })
      .catch((error) => log.error({ error }, 'phone libraries could not be prepared'))
      .finally(() => writer.close());
    return { stop: () => begun };
  },
};

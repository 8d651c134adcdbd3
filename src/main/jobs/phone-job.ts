import { loadSecret } from '../../adapters/data-folder/deployment-secret.ts';
import type { BackgroundJob } from './background-job.ts';

/**
 * Phone libraries that were never loaded wait for the first image of places and networks: building that needs
 * both processors and the memory.
 */
export const phoneJob: BackgroundJob = {
  name: 'phone libraries',
  async start({ config, log, clock, geo }) {
    let begun: Promise<void> | undefined;
    const fill = async (): Promise<void> => {
      const { openPhoneWriter } = await import('../../adapters/phone-db/open-phone.ts');
      const { prepareLibraries } = await import('../../adapters/phone-db/prepare-libraries.ts');
      const writer = openPhoneWriter(config, loadSecret(config));
      try {
        const filled = await prepareLibraries(writer, clock.now());
        if (filled.length > 0)
          log.info({ libraries: filled }, 'phone libraries filled from the public disposable-number list');
      } catch (error) {
        log.error({ error }, 'phone libraries could not be prepared');
      } finally {
        await writer.close();
      }
    };
    if (config.phone)
      geo.follow(() => {
        begun ??= fill();
      });
    return { stop: () => begun };
  },
};

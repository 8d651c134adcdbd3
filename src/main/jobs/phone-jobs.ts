import { loadSecret } from '../../adapters/data-folder/deployment-secret.ts';
import { openPhoneFeeds } from '../../adapters/phone-db/open-phone-feeds.ts';
import { worded } from '../../core/texts/said.ts';
import { repeat } from '../../service/serving/repeat.ts';
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

const TICK_MS = 5000;

export const phoneFeedsJob: BackgroundJob = {
  name: 'phone lists',
  async start(context) {
    const { config, log, clock } = context;
    const feeds = openPhoneFeeds(config, loadSecret(config), clock);
    if (feeds === undefined) return { stop() {} };
    let stopped = false;
    const tick = async (): Promise<void> => {
      for (const feed of await feeds.due()) {
        if (stopped) return;
        const before = feeds.state(feed).error;
        const outcome = await feeds.refresh(feed);
        if (outcome.status === 'accepted')
          log.info({ feed: feed.id, rows: outcome.rows, changed: outcome.changed }, 'phone list read');
        else if (worded(outcome.reason) !== (before && worded(before)))
          log.warn(
            { feed: feed.id, status: outcome.status, reason: worded(outcome.reason) },
            'phone list not taken in; what the libraries hold stays',
          );
      }
    };
    const ticks = repeat(context, 'phone lists', TICK_MS, tick, { meanwhile: 'what the libraries hold stays' });
    return {
      async stop() {
        stopped = true;
        await ticks.stop();
        await feeds.close();
      },
    };
  },
};

import { LAYER_PUBLISHERS } from '../../adapters/layers/layer-publishers.ts';
import { LayerUpdates } from '../../adapters/layers/layer-updates.ts';
import { worded } from '../../core/texts/said.ts';
import { layerDueAt } from '../../service/feeds/due-at.ts';
import { repeat } from '../../service/serving/repeat.ts';
import type { BackgroundJob } from '../jobs/background-job.ts';
import { DataThread } from './data-thread.ts';

/** Interval of checks of the schedule. The first one waits as long, since a start has more urgent work. */
const LOOK_MS = 15 * 60_000;

/**
 * Updates the shipped layers from their publishers once a month, if PULSE_FEEDS allows the network. The image
 * job notices the new files by itself.
 */
export const layerUpdatesJob: BackgroundJob = {
  name: 'layer updates',
  async start(context) {
    const { config, log, clock } = context;
    if (config.feeds !== 'auto') return { stop() {} };
    const updates = new LayerUpdates(config.dataDir);
    const thread = new DataThread();
    const look = async (): Promise<void> => {
      const ids = LAYER_PUBLISHERS.map(({ id }) => id).filter((id) => layerDueAt(updates.read(id)) <= clock.now());
      if (ids.length === 0) return;
      try {
        for (const { id, status, version, before, reason } of await thread.updateLayers(config.dataDir, ids)) {
          if (status === 'refused')
            log.warn(
              { layer: id, reason: reason && worded(reason), version },
              'an update of a layer was refused; the content in use stays',
            );
          else log.info({ layer: id, status, version, before }, 'asked the publisher of a layer');
        }
      } finally {
        await thread.end();
      }
    };
    const looks = repeat(context, 'layer updates', LOOK_MS, look, { meanwhile: 'the content in use stays' });
    return {
      async stop() {
        const stopped = looks.stop();
        await thread.end();
        await stopped;
      },
    };
  },
};

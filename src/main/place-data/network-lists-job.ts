import { join } from 'node:path';
import { folderStamp } from '../../adapters/system/files.ts';
import { repeat } from '../../service/serving/repeat.ts';
import type { BackgroundJob } from '../jobs/background-job.ts';

const LOOK_MS = 1000;

/** The list of verified assistants is thereby up to date within two seconds. */
export const networkListsJob: BackgroundJob = {
  name: 'network lists',
  async start(context) {
    const folder = join(context.config.dataDir, 'network');
    let seen: string | undefined;
    const look = (): void => {
      const { text, fault } = folderStamp([folder]);
      if (fault !== undefined) throw fault;
      if (text === seen) return;
      context.publish({ type: 'network-lists' });
      seen = text;
    };
    return repeat(context, 'network lists', LOOK_MS, look, { meanwhile: 'the lists in use stay', degrades: true });
  },
};

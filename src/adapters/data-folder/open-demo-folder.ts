import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { fault } from '../../core/texts/said.ts';
import { demoNetworkLists, recordDemo } from '../../service/intake/record-demo.ts';
import type { Clock, HistoryWriter } from '../../service/ports.ts';
import { writeDurablySync } from '../system/write-durably.ts';

export { demoNotice } from '../../service/intake/record-demo.ts';

import { DEMO_FILE, isDemoFolder } from './is-demo-folder.ts';

export function openDemoFolder(config: Config): Config {
  const dataDir = join(config.dataDir, 'demo');
  const isDemo = isDemoFolder({ dataDir });
  if (!isDemo && existsSync(dataDir) && readdirSync(dataDir).length > 0)
    throw fault('{dataDir} holds something else than a demonstration; it is left alone', { dataDir });
  // A shared database or snapshot store would let invented evidence reach real answers.
  const outside = [
    config.databaseUrl && 'PULSE_DATABASE_URL',
    config.redisUrl && 'PULSE_REDIS_URL',
    config.snapshotUrl && 'PULSE_SNAPSHOT_URL',
  ].filter(Boolean);
  if (outside.length > 0)
    throw fault('a demonstration keeps to its own folder; unset {names}', { names: outside.join(', ') });
  mkdirSync(join(dataDir, 'network'), { recursive: true });
  if (!isDemo)
    writeFileSync(
      join(dataDir, DEMO_FILE),
      'Everything in this folder is invented. Delete it freely; never copy from it.\n',
    );
  for (const list of demoNetworkLists())
    writeDurablySync(join(dataDir, 'network', `${list.id}.json`), `${JSON.stringify(list)}\n`);
  return Object.freeze({ ...config, dataDir, feeds: 'off' as const });
}

export function refuseDemoFolder(config: Pick<Config, 'dataDir'>): void {
  if (isDemoFolder(config))
    throw fault('{dataDir} holds a demonstration; choose another PULSE_DATA_DIR, or serve with --demo', {
      dataDir: config.dataDir,
    });
}

export interface FillDemo {
  readonly config: Config;
  readonly store: HistoryWriter;
  readonly clock: Clock;
}

export async function fillDemo({ config, store, clock }: FillDemo): Promise<void> {
  if (!isDemoFolder(config)) throw new Error('fillDemo needs the settings of openDemoFolder');
  const seeded = join(config.dataDir, 'seeded');
  const first = !existsSync(seeded);
  await recordDemo(store, clock.now(), first);
  if (first) writeFileSync(seeded, '');
}

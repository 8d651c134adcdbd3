import { mkdirSync } from 'node:fs';
import { openDataFolder } from '../adapters/data-folder/open-data-folder.ts';
import { refuseDemoFolder } from '../adapters/data-folder/open-demo-folder.ts';
import { openHistory } from '../adapters/evidence/open-history.ts';
import { type Config, loadConfig } from '../config.ts';
import { readGeoFacts } from '../main/place-data/read-current-geo.ts';
import type { HistoryStore } from '../service/ports.ts';

export async function withHistory<T>(
  work: (store: HistoryStore, config: Config) => Promise<T>,
  { derives = false } = {},
): Promise<T> {
  const config = loadConfig();
  mkdirSync(config.dataDir, { recursive: true });
  refuseDemoFolder(config);
  const folder = await openDataFolder(config);
  const geo = derives ? await readGeoFacts(config.dataDir) : undefined;
  const store = await openHistory(config, { facts: () => geo?.facts() });
  try {
    await folder.settle();
    return await work(store, config);
  } finally {
    await store.close();
  }
}

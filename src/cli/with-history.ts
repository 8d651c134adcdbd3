import { availableParallelism } from 'node:os';
import { loadConfig } from '../config.ts';
import { openDataFolder } from '../main/data-folder/open-data-folder.ts';
import { refuseDemoFolder } from '../main/demo/open-demo-folder.ts';
import { openHistory } from '../main/evidence/open-history.ts';
import type { HistoryStore } from '../service/ports.ts';

/** The evidence store of the data folder, as long as the work takes. */
export async function withHistory<T>(work: (store: HistoryStore) => Promise<T>): Promise<T> {
  const config = loadConfig(process.env, availableParallelism());
  refuseDemoFolder(config);
  const folder = await openDataFolder(config);
  const store = await openHistory(config);
  await folder.settle();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

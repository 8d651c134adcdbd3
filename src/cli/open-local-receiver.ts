import { openDataFolder } from '../adapters/data-folder/open-data-folder.ts';
import { refuseDemoFolder } from '../adapters/data-folder/open-demo-folder.ts';
import { openHistory } from '../adapters/evidence/open-history.ts';
import type { Config } from '../config.ts';
import { LocalReceiver } from '../main/sensor/local-receiver.ts';
import type { CaptureReceiver } from '../service/intake/intake-ports.ts';

export async function openLocalReceiver(config: Config, source: string): Promise<CaptureReceiver> {
  refuseDemoFolder(config);
  const data = await openDataFolder(config);
  await (await openHistory(config)).close();
  await data.settle();
  return new LocalReceiver(config, source);
}

/** Worker thread of the data build: reads and merges one family, so that both processors work. Started by open-data.ts, ends by itself. */
import { parentPort, workerData } from 'node:worker_threads';
import { readFamily } from '../adapters/layers/read-family.ts';

const { records, ...result } = (() => {
  const family = readFamily(workerData, (step) => parentPort?.postMessage({ step }));
  // Texts travel as one block of bytes: hundreds of thousands of separate strings would be copied one by one.
  return { ...family, records: family.place === undefined ? undefined : Buffer.from(family.place.records.join('\n')) };
})();
const place = result.place && { ranges: result.place.ranges };
parentPort?.postMessage({ done: { place, records, network: result.network, faults: result.faults } });

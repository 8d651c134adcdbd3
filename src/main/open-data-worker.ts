/** Worker thread of the data build: reads and merges one family, so that both processors work. Started by open-data.ts, ends by itself. */
import { parentPort, workerData } from 'node:worker_threads';
import { readFamily } from '../adapters/layers/read-family.ts';
import { packNetworks } from './packed-networks.ts';

const { place, network, faults } = readFamily(workerData, (step) => parentPort?.postMessage({ step }));
const done = { place, network: network && { ranges: network.ranges, records: packNetworks(network.records) }, faults };
// Everything large is an array of numbers whose memory moves to the other thread: nothing is copied.
const arrays = [
  ...(place ? [place.ranges.starts, place.ranges.ids, place.records.offsets, place.records.bytes] : []),
  ...(done.network ? [done.network.ranges.starts, done.network.ranges.ids, done.network.records.asns, done.network.records.marks] : []),
];
parentPort?.postMessage(
  { done },
  arrays.map((array) => array.buffer as ArrayBuffer),
);

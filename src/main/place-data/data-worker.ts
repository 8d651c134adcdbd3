/** Worker thread of the data build: merges what it is asked for and checks images. Started by data-thread.ts, which also ends it. */
import { parentPort } from 'node:worker_threads';
import { readFamily } from '../../adapters/layers/read-family.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import { verifyGeo } from '../../engine/geo/verify-geo.ts';
import type { DataRequest, MergedFamily } from './data-thread.ts';
import { packNetworks } from './packed-networks.ts';

const port = parentPort!;
port.on('message', (request: DataRequest) => {
  if ('verify' in request) return port.postMessage({ answer: verifyGeo(openGeo(request.verify), request.checks) });
  const { place, network, faults } = readFamily(request.merge, (step) => port.postMessage({ step }));
  const answer: MergedFamily = {
    ...(place && { place }),
    ...(network && { network: { ranges: network.ranges, records: packNetworks(network.records) } }),
    faults,
  };
  port.postMessage({ answer }, memoryOf(answer));
});

/** Everything large is an array of numbers whose memory moves to the other thread: nothing is copied. */
function memoryOf({ place, network }: MergedFamily): ArrayBuffer[] {
  const arrays = [
    ...(place ? [place.ranges.starts, place.ranges.ids, place.records.offsets, place.records.bytes, place.records.hashes!] : []),
    ...(network ? [network.ranges.starts, network.ranges.ids, network.records.asns, network.records.marks] : []),
  ];
  return arrays.map((array) => array.buffer as ArrayBuffer);
}

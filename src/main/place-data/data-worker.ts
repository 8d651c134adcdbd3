/** Worker thread of the data build: merges the ranges of one family, or checks an image. Started by data-thread.ts, which also ends it. */
import { readFamily } from '../../adapters/layers/read-family.ts';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import { verifyGeo } from '../../engine/geo/verify-geo.ts';
import type { DataRequest, MergedFamily } from './data-thread.ts';
import { packNetworks } from './packed-networks.ts';

answerCalls<DataRequest, MergedFamily | readonly string[], string>(
  (request, { report }) =>
    'verify' in request ? verifyGeo(openGeo(request.verify), request.checks) : merge(request.merge, report),
  (reply) => ('faults' in reply ? memoryOf(reply) : []),
);

function merge(request: Parameters<typeof readFamily>[0], onStep: (step: string) => void): MergedFamily {
  const { place, network, faults } = readFamily(request, onStep);
  return {
    ...(place && { place }),
    ...(network && { network: { ranges: network.ranges, records: packNetworks(network.records) } }),
    faults,
  };
}

/** Everything large is an array of numbers whose memory moves to the other thread: nothing is copied. */
function memoryOf({ place, network }: MergedFamily): ArrayBuffer[] {
  const arrays = [
    ...(place
      ? [place.ranges.starts, place.ranges.ids, place.records.offsets, place.records.bytes, place.records.hashes!]
      : []),
    ...(network ? [network.ranges.starts, network.ranges.ids, network.records.asns, network.records.marks] : []),
  ];
  return arrays.map((array) => array.buffer as ArrayBuffer);
}

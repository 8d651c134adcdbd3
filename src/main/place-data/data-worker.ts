/**
 * Entry of the threads of place data. They fetch layers, make the image, merge and encode the ranges of one
 * family, and check an image. Each call loads only the code it needs.
 */

import { systemClock } from '../../adapters/system/own-process.ts';
import { answerCalls, type CallInThread } from '../../adapters/system/worker-calls.ts';
import type { Said } from '../../core/texts/said.ts';
import type { DataReply, DataRequest } from './data-thread.ts';

answerCalls<DataRequest, DataReply, Said>(answer, memoryOf);

async function answer(call: DataRequest, { report: onProgress }: CallInThread<Said>): Promise<DataReply> {
  switch (call.do) {
    case 'prepare': {
      const { prepareGeoImage } = await import('./prepare-geo-image.ts');
      return await prepareGeoImage(call, systemClock.now(), { force: call.force, onProgress });
    }
    case 'update':
      return await (await import('./update-layers.ts')).updateLayers(call.dataDir, systemClock.now(), {
        ids: call.ids,
      });
    case 'merge': {
      const [{ readFamily }, { packNetworks }] = await Promise.all([
        import('../../adapters/layers/read-family.ts'),
        import('./packed-networks.ts'),
      ]);
      const { place, network, readings } = readFamily(call.with, onProgress);
      return {
        ...(place && { place }),
        ...(network && { network: { ...network, records: packNetworks(network.records) } }),
        readings,
      };
    }
    case 'encode': {
      const { encodeTable } = await import('../../engine/geo/encode-tables.ts');
      return { sections: encodeTable(call.table, call.ranges, call.records, true) };
    }
    case 'verify': {
      const [{ openGeo }, { openShared }, { verifyGeo }] = await Promise.all([
        import('../../engine/geo/geo-image.ts'),
        import('../../adapters/snapshots/published-images.ts'),
        import('../../engine/geo/network-records.ts'),
      ]);
      return verifyGeo(openGeo(openShared(call.image, 'geo')), call.checks);
    }
  }
}

/** All large values are arrays of numbers whose memory is transferred, so that nothing is copied. */
function memoryOf(reply: DataReply): ArrayBuffer[] {
  if ('sections' in reply) return reply.sections.map(({ data }) => data.buffer as ArrayBuffer);
  if (!('readings' in reply)) return [];
  const { place, network } = reply;
  const arrays = [
    ...(place
      ? [place.ranges.starts, place.ranges.ids, place.records.offsets, place.records.bytes, place.records.hashes!]
      : []),
    ...(network ? [network.ranges.starts, network.ranges.ids, network.records.asns, network.records.marks] : []),
  ];
  return arrays.map((array) => array.buffer as ArrayBuffer);
}

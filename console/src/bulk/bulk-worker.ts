/** Entry of the worker of the bulk page: addresses of a log, and the lines of the log counted by the answers. No address is kept twice. */
import { IP_BATCH_MAX } from '../../../src/contract/ip-batch.ts';
import type { TrafficSummary } from '../../../src/contract/traffic-summary.ts';
import type { Address } from '../../../src/core/ip/address.ts';
import { isReserved } from '../../../src/core/ip/special-purpose.ts';
import { TrafficTally } from '../../../src/core/summary/traffic-tally.ts';
import { type UnixMs, unixMs } from '../../../src/core/units.ts';
import { AddressRows, type AnswersAbout, type BatchItem, type KeptAnswer } from './address-rows.ts';
import type { AddressFindings, ReadOrder } from './bulk-order.ts';
import { logBlocks, UnclearLayout } from './log-blocks.ts';
import { serveBulk } from './serve-bulk.ts';

const randomSeed = (): readonly number[] => [...crypto.getRandomValues(new Uint32Array(9))];

serveBulk<BatchItem, KeptAnswer, AnswersAbout, AddressRows, AddressFindings, TrafficSummary, undefined>({
  route: { path: '/console/api/ip/batch', member: 'ips', batchMax: IP_BATCH_MAX },
  read,
  isKept: () => true,
  summarize,
  csv: async (rows) => rows.csv(),
});

async function read(
  { source }: ReadOrder<undefined>,
  onLines: (lines: number) => void,
): Promise<{ readonly rows: AddressRows; readonly found: AddressFindings } | undefined> {
  const rows = new AddressRows(randomSeed());
  const counts = { lines: 0, withoutAddress: 0, reserved: 0 };
  let format: AddressFindings['format'] | undefined;
  for await (const block of logBlocks(source)) {
    ({ format } = block);
    const { bytes, reader } = block;
    for (let at = block.from; at < bytes.length; counts.lines++) {
      at = reader.read(bytes, at);
      if (!reader.hasAddress) counts.withoutAddress++;
      else if (isReserved(reader.address)) counts.reserved++;
      else if (!rows.add(reader.address)) return undefined;
    }
    onLines(counts.lines);
  }
  if (format === undefined) throw new UnclearLayout('the file is empty');
  return { rows, found: { format, entries: rows.size, ...counts } };
}

/** Counts the lines of the file by the answers about their addresses; lines of addresses that were not asked about are left out. */
async function summarize(rows: AddressRows, { source }: ReadOrder<undefined>): Promise<TrafficSummary | undefined> {
  if (rows.about === undefined) return undefined;
  const { computedAt, dataVersion, degraded } = rows.about;
  const tally = new TrafficTally({ seed: randomSeed() });
  for await (const { bytes, from, reader, requestOf } of logBlocks(source)) {
    for (let at = from; at < bytes.length; ) {
      const begun = at;
      at = reader.read(bytes, at);
      if (!reader.hasAddress) tally.countWithoutAddress();
      else {
        const time = reader.time();
        if ((tally.count(reader.address, time) || judge(rows, tally, reader.address, time)) && tally.isRisky)
          tally.noteRequest(reader.address, time, requestOf(decoder.decode(bytes.subarray(begun, reader.end))));
      }
    }
  }
  return tally.document({ computedAt: unixMs(Date.parse(computedAt)), dataVersion, degraded });
}

const decoder = new TextDecoder();

/** @returns whether the line is one of an address with a verdict */
function judge(rows: AddressRows, tally: TrafficTally, address: Address, time: UnixMs | undefined): boolean {
  const facts = isReserved(address) ? 'reserved' : rows.factsOf(address);
  if (facts === 'reserved') tally.countReserved();
  else if (facts === undefined) tally.countNotFound();
  else if (facts !== 'unasked') {
    tally.learn(address, time, facts);
    return true;
  }
  return false;
}

/** Entry of the worker of the bulk page: addresses of a log, and the lines of the log counted by the answers. No address is kept twice. */
import { IP_BATCH_MAX } from '../../../src/contract/ip-batch.ts';
import { answersBeside, type BatchItem } from '../../../src/core/enrich/answers-beside.ts';
import type { Address } from '../../../src/core/ip/address.ts';
import { findAddresses } from '../../../src/core/ip/find-addresses.ts';
import { isReserved } from '../../../src/core/ip/special-purpose.ts';
import { isTable } from '../../../src/core/logs/line-layout.ts';
import { TrafficTally } from '../../../src/core/summary/traffic-tally.ts';
import { type UnixMs, unixMs } from '../../../src/core/units.ts';
import { AddressRows, type AnswersAbout, type KeptAnswer } from './address-rows.ts';
import type { AddressAnswers, AddressFindings, AddressOptions, BulkReadRequest } from './bulk-request.ts';
import { logBlocks, UnclearLayout } from './log-blocks.ts';
import { serveBulk } from './serve-bulk.ts';

const randomSeed = (): readonly number[] => [...crypto.getRandomValues(new Uint32Array(9))];

serveBulk<BatchItem, KeptAnswer, AnswersAbout, AddressRows, AddressFindings, AddressAnswers, AddressOptions>({
  route: { path: '/console/api/ip/batch', member: 'ips', batchMax: IP_BATCH_MAX },
  read,
  isKept: () => true,
  summarize,
  csv,
});

async function read(
  { source, options }: BulkReadRequest<AddressOptions>,
  onLines: (lines: number) => void,
): Promise<{ readonly rows: AddressRows; readonly found: AddressFindings } | undefined> {
  const rows = new AddressRows(randomSeed());
  const counts = { lines: 0, withoutAddress: 0, reserved: 0 };
  const networks = new Set<string>();
  let layout: Pick<AddressFindings, 'format' | 'doubt'> | undefined;
  for await (const {
    bytes,
    from,
    reader,
    layout: { format },
  } of logBlocks(source, options)) {
    for (let at = from; at < bytes.length; ) {
      const begun = at;
      at = reader.read(bytes, at);
      // A line of several addresses begins again for each of them.
      const isRead = at !== begun;
      if (isRead) counts.lines++;
      if (!reader.hasAddress || (isRead && format === 'any')) {
        const text = decoder.decode(bytes.subarray(begun, reader.end));
        const found = findAddresses(text).networks;
        for (const network of found) networks.add(network.text);
        if (!reader.hasAddress && found.length === 0 && text.trim() !== '' && !reader.isComment)
          counts.withoutAddress++;
      }
      if (!reader.hasAddress) continue;
      if (isReserved(reader.address)) counts.reserved++;
      else if (!rows.add(reader.address)) return undefined;
    }
    layout = { format, doubt: reader.doubts };
    onLines(counts.lines);
  }
  if (layout === undefined || (rows.size === 0 && counts.reserved === 0 && networks.size === 0))
    throw new UnclearLayout('no address');
  return { rows, found: { ...layout, entries: rows.size, ...counts, networks: [...networks] } };
}

/** Counts the lines of the file by the answers about their addresses; lines of addresses that were not asked about are left out. */
async function summarize(
  rows: AddressRows,
  { source, options }: BulkReadRequest<AddressOptions>,
): Promise<AddressAnswers | undefined> {
  if (rows.about === undefined) return undefined;
  const { computedAt, dataVersion, degraded } = rows.about;
  const tally = new TrafficTally({ seed: randomSeed() });
  let doubt: AddressFindings['doubt'] = [];
  let isAccessLog = false;
  for await (const {
    bytes,
    from,
    reader,
    requestOf,
    layout: { format },
  } of logBlocks(source, options)) {
    isAccessLog = format === 'common' || format === 'combined';
    for (let at = from; at < bytes.length; ) {
      const begun = at;
      at = reader.read(bytes, at);
      if (!reader.hasAddress) {
        if (!reader.isComment) tally.countWithoutAddress();
      } else {
        const time = reader.time();
        if ((tally.count(reader.address, time) || judge(rows, tally, reader.address, time)) && tally.isRisky)
          tally.noteRequest(reader.address, time, requestOf(decoder.decode(bytes.subarray(begun, reader.end))));
      }
    }
    doubt = reader.doubts;
  }
  const document = tally.document({ computedAt: unixMs(Date.parse(computedAt)), dataVersion, degraded });
  const summary = { ...document, doubt };
  const ranked = rows.ranked();
  const comesAgain = summary.time !== undefined && summary.lines.judged > ranked.length;
  const isLong = summary.lines.judged >= LIST_LINES_MAX;
  return { summary, rows: ranked, isLog: isAccessLog || (isLong && comesAgain) };
}

/** A table keeps its own rows, with our columns behind them; any other file becomes a row for each address. */
async function csv(
  rows: AddressRows,
  { source, options }: BulkReadRequest<AddressOptions>,
): Promise<readonly BlobPart[]> {
  const parts: BlobPart[] = [];
  let table: ReturnType<typeof answersBeside> | undefined;
  for await (const { bytes, layout } of logBlocks(source, options)) {
    if (!isTable(layout)) return rows.csv();
    const isFirst = table === undefined;
    table ??= answersBeside(layout, rows.rowOf);
    parts.push(table.enrich(bytes, isFirst).bytes.slice());
  }
  return parts;
}

const decoder = new TextDecoder();

/** Fewer lines are read one by one. */
const LIST_LINES_MAX = 500;

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

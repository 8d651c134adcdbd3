/** Entry of the worker of the bulk page: it reads the file, looks its addresses up and counts them, so that the page stays free and no address is kept twice. */
import { isReserved } from '../../../src/core/ip/special-purpose.ts';
import type { LineReader } from '../../../src/core/logs/line-reader.ts';
import { TrafficTally } from '../../../src/core/summary/traffic-tally.ts';
import { unixMs } from '../../../src/core/units.ts';
import { AddressRows } from './address-rows.ts';
import type { BulkFound, BulkOrder, BulkReport } from './bulk-order.ts';
import { dropBatches, type KeptBatch, keepBatch, keptBatches } from './kept-batches.ts';
import { logBlocks, UnclearLayout } from './log-blocks.ts';
import { type SentBatches, sendBatches } from './send-batches.ts';

/** Between two reports of progress while a file is read. */
const REPORT_MS = 100;

const report = (message: BulkReport): void => postMessage(message);
const randomSeed = (): readonly number[] => [...crypto.getRandomValues(new Uint32Array(9))];

/** A file as an account's. */
type Run = Pick<KeptBatch, 'run' | 'account' | 'name'>;

let source: Blob | undefined;
/** Data kept with the answers of this file. */
let run: Run | undefined;
let summarizing: Promise<void> = Promise.resolve();
let rows = new AddressRows(randomSeed());
let sent: SentBatches | undefined;
let running = new AbortController();

addEventListener('message', ({ data }: MessageEvent<BulkOrder>) => {
  switch (data.do) {
    case 'read':
      return void read(data);
    case 'run':
      return void lookUp(data);
    case 'forget':
      return void forget();
    case 'stop':
      return running.abort();
    case 'csv':
      return report({ is: 'csv', text: new Blob(['\uFEFF', ...rows.csv()], { type: 'text/csv;charset=utf-8' }) });
  }
});

async function read({ source: file, name, account }: Omit<Extract<BulkOrder, { do: 'read' }>, 'do'>): Promise<void> {
  source = file;
  rows = new AddressRows(randomSeed());
  sent = undefined;
  try {
    const found = await addressesOf(file);
    if (found === undefined) return report({ is: 'unreadable', reason: 'too_many' });
    run = { run: `${account} ${rows.digest()}`, account, name };
    sent = await restored(run);
    report({ ...found, kept: rows.answered });
    if (sent !== undefined) await summarize(sent);
  } catch (error) {
    report({ is: 'unreadable', reason: error instanceof UnclearLayout ? 'layout' : 'damaged' });
  }
}

/** Takes the answers that an earlier run over this file kept. @returns their common part; undefined where there are none */
async function restored({ run, account }: Run): Promise<SentBatches | undefined> {
  const now = Date.now();
  try {
    await dropBatches(now, () => false);
    const batches = (await keptBatches(account, now)).filter((batch) => batch.run === run);
    for (const { answers } of batches) for (const answer of answers) rows.restore(answer);
    const last = batches.findLast(({ computedAt }) => computedAt !== undefined);
    return last && { ...last, problem: undefined, degraded: batches.some(({ degraded }) => degraded) };
  } catch {
    report({ is: 'unkept' });
    return undefined;
  }
}

async function keep(numbers: readonly number[], { dataVersion, computedAt, degraded }: SentBatches): Promise<void> {
  if (run === undefined) return;
  const answers = numbers.flatMap((number) => rows.kept(number) ?? []);
  try {
    await keepBatch({ ...run, of: rows.size, at: Date.now(), dataVersion, computedAt, degraded, answers });
  } catch {
    report({ is: 'unkept' });
  }
}

async function forget(): Promise<void> {
  const { run: meant } = run!;
  await dropBatches(Date.now(), ({ run }) => run === meant).catch(() => report({ is: 'unkept' }));
  await read({ source: source!, ...run! });
}

/** @returns undefined where there are more addresses than a page looks up @throws UnclearLayout */
async function addressesOf(file: Blob): Promise<Omit<BulkFound, 'kept'> | undefined> {
  const counts = { lines: 0, withoutAddress: 0, reserved: 0 };
  let format: BulkFound['format'] | undefined;
  let reportedAt = performance.now();
  for await (const block of logBlocks(file)) {
    ({ format } = block);
    const { bytes, reader } = block;
    for (let at = block.from; at < bytes.length; counts.lines++) {
      at = reader.read(bytes, at);
      if (!reader.hasAddress) counts.withoutAddress++;
      else if (isReserved(reader.address)) counts.reserved++;
      else if (!rows.add(reader.address)) return undefined;
    }
    if (performance.now() - reportedAt < REPORT_MS) continue;
    reportedAt = performance.now();
    report({ is: 'reading', lines: counts.lines });
  }
  if (format === undefined) throw new UnclearLayout('the file is empty');
  return { is: 'found', format, addresses: rows.size, ...counts };
}

async function lookUp({ csrf, most, perMin }: Extract<BulkOrder, { do: 'run' }>): Promise<void> {
  running = new AbortController();
  const withEarlier = (answers: SentBatches): SentBatches => ({
    ...answers,
    dataVersion: answers.dataVersion ?? sent?.dataVersion,
    computedAt: answers.computedAt ?? sent?.computedAt,
    degraded: answers.degraded || sent?.degraded === true,
  });
  const answers = await sendBatches(rows, {
    csrf,
    most,
    perMin,
    signal: running.signal,
    onProgress: (done, of, charged) => report({ is: 'progress', done, of, charged }),
    onAnswered: keep,
    onWait: (seconds, soFar) => {
      report({ is: 'waiting', seconds });
      summarizing = summarizing.then(() => summarize(withEarlier(soFar)));
    },
  });
  sent = withEarlier(answers);
  const { problem } = answers;
  report({ is: 'ended', left: rows.size - rows.answered, ...(problem !== undefined && { problem }) });
  await summarizing;
  await summarize(sent);
}

/** Counts the lines of the file by the answers about their addresses; lines of addresses that were not asked about are left out. */
async function summarize({ dataVersion, computedAt, degraded }: SentBatches): Promise<void> {
  if (source === undefined || dataVersion === undefined || computedAt === undefined) return;
  const tally = new TrafficTally({ seed: randomSeed() });
  for await (const { bytes, from, reader, requestOf } of logBlocks(source)) {
    for (let at = from; at < bytes.length; ) {
      const begun = at;
      at = reader.read(bytes, at);
      if (!reader.hasAddress) tally.countWithoutAddress();
      else if ((tally.count(reader.address, reader.time()) || judge(tally, reader)) && tally.isRisky)
        tally.noteRequest(reader.address, () => requestOf(decoder.decode(bytes.subarray(begun, reader.end))));
    }
  }
  report({
    is: 'summary',
    summary: tally.document({ computedAt: unixMs(Date.parse(computedAt)), dataVersion, degraded }),
  });
}

const decoder = new TextDecoder();

/** @returns whether the line is one of an address with a verdict */
function judge(tally: TrafficTally, reader: LineReader): boolean {
  const facts = isReserved(reader.address) ? 'reserved' : rows.factsOf(reader.address);
  if (facts === 'reserved') tally.countReserved();
  else if (facts === undefined) tally.countNotFound();
  else if (facts !== 'unasked') {
    tally.learn(reader.address, reader.time(), facts);
    return true;
  }
  return false;
}

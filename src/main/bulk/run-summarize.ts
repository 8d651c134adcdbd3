import { localPools } from '../../adapters/data-folder/local-pools.ts';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { shareRead } from '../../adapters/log-files/open-input.ts';
import { randomHashSeed, systemClock } from '../../adapters/system/own-process.ts';
import type { Config } from '../../config.ts';
import type { SummaryAddress, TrafficSummary } from '../../contract/traffic-summary.ts';
import type { Address } from '../../core/ip/address.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import type { LayoutOptions } from '../../core/logs/detect-layout.ts';
import type { ReadingProgress } from '../../core/logs/line-format.ts';
import type { LineLayout } from '../../core/logs/line-layout.ts';
import { makeLineReader } from '../../core/logs/make-line-reader.ts';
import { requestReader } from '../../core/logs/request-reader.ts';
import { namedAddresses, namedSummary, type SummaryIdentity } from '../../core/report/named-summary.ts';
import { TrafficTally } from '../../core/summary/traffic-tally.ts';
import type { VerdictFacts } from '../../core/summary/verdict-facts.ts';
import type { UnixMs } from '../../core/units.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';
import { type Judgement, type SummarizeParts, summarizeBlock } from '../../service/lookup/describe-network.ts';
import {
  judgementOf,
  LOCAL_ACCOUNT,
  LocalFacts,
  LocalVerdicts,
  SUMMARY_FIELDS,
} from '../../service/lookup/local-verdicts.ts';
import { type AddressIdentity, identifyAddress } from '../../service/lookup/lookup-ip.ts';
import { PulseLookup } from '../../service/lookup/lookup-pulse.ts';
import { type HistoryPast, isDegraded, type LookupView } from '../../service/ports.ts';
import { type LocalImages, localImages, openImages } from './local-enricher.ts';
import { type Records, requireAddresses, withRecords } from './with-records.ts';

interface SummarizeOptions {
  readonly path: string;
  readonly against?: string | undefined;
  readonly options: LayoutOptions;
  readonly moment: UnixMs | undefined;
  readonly allowPartial: boolean;
  readonly top: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReadingProgress) => void;
}

/**
 * Summarises who is behind the lines of a file, from the data folder (decisions 10.2). Memory does not depend
 * on the size of the file.
 * @throws Error for a file that cannot be read or whose layout is not clear; Problem for a moment that cannot
 * be answered
 */
export async function runSummarize(config: Config, options: SummarizeOptions): Promise<SummarizeResult> {
  const { against } = options;
  const other = against === undefined ? undefined : await tallied(config, { ...options, path: against });
  const { tally, summary } = await tallied(config, options, (counted, tally) => {
    if (other === undefined) return counted;
    const [fresh, gone] = [tally.riskiest(options.top, other.tally), other.tally.riskiest(options.top, tally)];
    return { ...counted, against: { lines: other.summary.lines.total, new: fresh, gone } };
  });
  return { summary, risky: () => tally.risky() };
}

type Completion = (summary: TrafficSummary, tally: TrafficTally) => TrafficSummary;

const tallied = (config: Config, options: SummarizeOptions, complete?: Completion): Promise<Tallied> =>
  withRecords(options.path, options, (records) => summarizeRecords(config, options, records, complete));

interface SummarizeResult {
  readonly summary: TrafficSummary;
  readonly risky: () => Iterable<SummaryAddress>;
}

interface Tallied {
  readonly summary: TrafficSummary;
  readonly tally: TrafficTally;
}

async function summarizeRecords(
  config: Config,
  options: SummarizeOptions,
  input: Records,
  complete?: Completion,
): Promise<Tallied> {
  const { signal, onProgress } = options;
  const { lines } = input;
  const now = systemClock.now();
  const opened = await openSummary(config, { ...options, layout: lines?.layout, now });
  try {
    let count = 0;
    for await (const block of lines?.blocks ?? []) {
      signal.throwIfAborted();
      count += await opened.add(block);
      onProgress({ records: count, share: shareRead(input) });
    }
    const tallied = await opened.end(complete);
    const { total, judged, without_address: without } = tallied.summary.lines;
    if (lines !== undefined) requireAddresses({ records: total, without, judged }, lines.layout, options);
    return tallied;
  } finally {
    await opened.close();
  }
}

export interface OpenedSummary {
  readonly add: (block: Uint8Array) => Promise<number>;
  readonly end: (complete?: Completion) => Promise<Tallied>;
  readonly close: () => Promise<void>;
}

interface SummaryOptions extends Pick<SummarizeOptions, 'moment'> {
  readonly top?: number;
  readonly layout: LineLayout | undefined;
  readonly now: UnixMs;
  readonly images?: LocalImages;
}

export async function openSummary(config: Config, options: SummaryOptions): Promise<OpenedSummary> {
  const { moment, top, layout, now } = options;
  const store = await openHistory(config);
  try {
    const { geo, view } = openImages(options.images ?? (await localImages(config, store, now)));
    const tally = new TrafficTally({ seed: randomHashSeed() });
    const parts = layout && {
      tally,
      reader: makeLineReader(layout),
      requestOf: requestReader(layout),
      judge: await judgeOf({ config, store, view, geo, now, moment }),
    };
    let isHeader = layout?.header !== undefined;
    return {
      add: async (block) => {
        const from = isHeader ? parts!.reader.read(block, 0) : 0;
        isHeader = false;
        return await summarizeBlock(block, from, parts!);
      },
      end: async (complete = (summary) => summary) => {
        const degraded = moment === undefined ? view.degraded : isDegraded(await store.leftOutAt(moment));
        const frame = { computedAt: moment ?? now, dataVersion: view.dataVersion, degraded };
        const document = tally.document({ ...frame, ...(top !== undefined && { top }) });
        const doubt = parts?.reader.doubts ?? [];
        const counted = doubt.length === 0 ? document : { ...document, doubt };
        const named = { view, at: frame.computedAt, past: moment === undefined ? undefined : store };
        return { summary: await identifySummary(complete(counted, tally), named), tally };
      },
      close: async () => await store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface JudgeOptions {
  readonly config: Config;
  readonly store: HistoryPast;
  readonly view: LookupView;
  readonly geo: GeoImage;
  readonly now: UnixMs;
  readonly moment: UnixMs | undefined;
}

async function judgeOf({ config, store, view, geo, now, moment }: JudgeOptions): Promise<SummarizeParts['judge']> {
  const pulse = new PulseLookup({
    history: config.history ? store : undefined,
    ...localPools(config),
  });
  if (moment === undefined) {
    const facts = new LocalFacts(new LocalVerdicts({ view, geo, at: now, pulse, fields: SUMMARY_FIELDS }));
    return (address) => {
      const judged = facts.of(address);
      return isUntold(judged) ? told(judged, identifyAddress(view, address, now, view.observations(address))) : judged;
    };
  }
  const question = { view, now, account: LOCAL_ACCOUNT, moment };
  await pulse.checkMoment({ ...question, address: ANY_IPV4 });
  return async (address) => {
    if (address.family === 6) return 'without_history';
    const answer = await pulse.lookup({ ...question, address });
    const judged = answer === undefined ? 'not_found' : judgementOf(JSON.parse(answer.json) as object);
    if (!isUntold(judged)) return judged;
    return told(judged, identifyAddress(view, address, moment, await store.observationsAt(address, moment)));
  };
}

/** A document does not tell a Tor exit on the network of a carrier. */
const isUntold = (judged: Judgement): judged is VerdictFacts =>
  typeof judged === 'object' && judged.state === 'active' && judged.shareTier === 'T3' && judged.sharedBy === undefined;
const told = (facts: VerdictFacts, { sharedBy }: AddressIdentity): VerdictFacts => ({ ...facts, sharedBy });

/** The rules of a moment are the same for every IPv4 address. */
const ANY_IPV4: Address = parseAnyAddress('8.8.8.8')!;

interface SummaryMoment {
  readonly view: LookupView;
  readonly at: UnixMs;
  readonly past: HistoryPast | undefined;
}

async function identifySummary(summary: TrafficSummary, moment: SummaryMoment): Promise<TrafficSummary> {
  const { view, at, past } = moment;
  const identities = new Map<string, SummaryIdentity>();
  for (const { ip } of namedAddresses(summary)) {
    const address = parseAnyAddress(ip)!;
    const seen = past === undefined ? view.observations(address) : await past.observationsAt(address, at);
    const { knownGood, sharedBy } = identifyAddress(view, address, at, seen);
    identities.set(ip, {
      ...(knownGood !== undefined && { [knownGood.scanner === true ? 'scanner' : 'service']: knownGood.what }),
      ...(sharedBy !== undefined && { shared_by: sharedBy }),
    });
  }
  return namedSummary(summary, ({ ip }) => identities.get(ip) ?? {});
}

import type { NetworkRisk } from '../../contract/documents.ts';
import type { Address, Prefix } from '../../core/ip/address.ts';
import { formatAddress, formatPrefix } from '../../core/ip/format-address.ts';
import type { NetworkName } from '../../core/ip/network-name.ts';
import { compareAddresses, lastAddress, prefixOf } from '../../core/ip/prefix.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import type { LineReader } from '../../core/logs/line-reader.ts';
import type { LogRequest } from '../../core/logs/request-reader.ts';
import { knownGoodCapOf } from '../../core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { type Verdict, verdict } from '../../core/risk/verdict.ts';
import type { TrafficTally } from '../../core/summary/traffic-tally.ts';
import type { VerdictFacts } from '../../core/summary/verdict-facts.ts';
import type { UnixMs } from '../../core/units.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';
import { isoTime } from '../iso-time.ts';
import type { LookupView } from '../ports.ts';
import { Problem } from '../problem.ts';

interface NetworkQuery {
  readonly view: LookupView;
  readonly network: NetworkName;
  readonly now: UnixMs;
}

const SHOWN_MAX = 50;
const ADDRESSES_PER_TURN = 20_000;

const LENGTHS = { 4: [8, 16, 24], 6: [16, 32, 48, 64] } as const;

interface Part {
  addresses: number;
  active: number;
  score: number;
}

interface Judged extends Pick<Verdict, 'score' | 'level' | 'state' | 'signals'> {
  readonly types: readonly string[];
}

/**
 * Describes the evidence inside a prefix or an AS (decisions 10.5) from the live view, in bounded time. A
 * captured prefix counts with all its addresses, judged by its first one; in IPv6 it counts once.
 * @throws Problem not_found for an AS in which nothing was captured
 */
export async function describeNetwork({ view, network, now }: NetworkQuery): Promise<NetworkRisk> {
  const tally = new NetworkTally(view, network, now);
  for (const family of [4, 6] as const) {
    const spans = spansOf(network, family);
    if (spans === undefined) continue;
    let turn = 0;
    for (const { address, set } of view.captured!.hostsWithin(spans.first, spans.last)) {
      tally.addHost(address, set);
      if (++turn % ADDRESSES_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    for (const range of view.captured!.rangesWithin(spans.first, spans.last)) tally.addRange(range.first, range.last);
  }
  if ('asn' in network && tally.isEmpty)
    throw new Problem('not_found', { message: 'No evidence was captured in this AS.' });
  return tally.document();
}

function spansOf(network: NetworkName, family: 4 | 6): { readonly first: Address; readonly last: Address } | undefined {
  if ('asn' in network) {
    const all = prefixOf({ family, w0: 0, w1: 0, w2: 0, w3: 0 }, 0);
    return { first: all, last: lastAddress(all) };
  }
  const { prefix } = network;
  return prefix.family === family ? { first: prefix, last: lastAddress(prefix) } : undefined;
}

class NetworkTally {
  readonly #view: LookupView;
  readonly #network: NetworkName;
  readonly #now: UnixMs;
  readonly #bySet = new Map<number, Judged>();
  readonly #parts = new Map<string, Part>();
  readonly #byLevel = { none: 0, low: 0, medium: 0, high: 0 };
  readonly #byState = { active: 0, stale: 0 };
  readonly #byType = new Map<string, number>();
  readonly #hosts4: number[] = [];
  #sorted4: readonly number[] | undefined;
  #riskiest: { readonly address: Address; readonly judged: Judged }[] = [];

  constructor(view: LookupView, network: NetworkName, now: UnixMs) {
    this.#view = view;
    this.#network = network;
    this.#now = now;
  }

  get isEmpty(): boolean {
    return this.#byState.active + this.#byState.stale === 0;
  }

  addHost(address: Address, set: number): void {
    if (!this.#isInside(address)) return;
    const judged = this.#judge(address, set);
    if (address.family === 4) this.#hosts4.push(address.w0);
    this.#add(address, judged, 1);
    if (judged.score === 0) return;
    this.#riskiest.push({ address, judged });
    if (this.#riskiest.length > 4 * SHOWN_MAX) this.#riskiest = this.#highest();
  }

  /** Adds a captured range, each part of the network on its own. Call it after the last host. */
  addRange(first: Address, last: Address): void {
    const bits = this.#partBits(first.family);
    if (first.family === 6 || bits === undefined) this.#addPiece(first, last);
    else
      for (let at = first.w0; at <= last.w0; ) {
        const begin = { ...first, w0: at };
        const end = Math.min(last.w0, lastAddress(prefixOf(begin, bits)).w0);
        this.#addPiece(begin, { ...first, w0: end });
        at = end + 1;
      }
  }

  #addPiece(first: Address, last: Address): void {
    if (!this.#isInside(first)) return;
    const rest = first.family === 6 ? 1 : last.w0 - first.w0 + 1 - this.#hostsIn(first.w0, last.w0);
    if (rest > 0) this.#add(first, this.#judge(first, 0), rest);
  }

  #hostsIn(first: number, last: number): number {
    this.#sorted4 ??= this.#hosts4.sort((a, b) => a - b);
    return firstFrom(this.#sorted4, last + 1) - firstFrom(this.#sorted4, first);
  }

  document(): NetworkRisk {
    const { active, stale } = this.#byState;
    const parts = [...this.#parts].sort(
      ([a, one], [b, other]) => other.active - one.active || other.addresses - one.addresses || (a < b ? -1 : 1),
    );
    return {
      network: nameOf(this.#network),
      addresses: active + stale,
      active,
      by_state: this.#byState,
      by_level: this.#byLevel,
      by_type: Object.fromEntries([...this.#byType].sort(([, a], [, b]) => b - a)),
      riskiest: this.#highest()
        .slice(0, SHOWN_MAX)
        .map(({ address, judged }) => ({
          ip: formatAddress(address),
          score: judged.score,
          level: judged.level,
          signals: judged.signals,
        })),
      around: this.#around(),
      inside: parts.slice(0, SHOWN_MAX).map(([network, part]) => ({ network, ...part })),
      computed_at: isoTime(this.#now),
      meta: { data_version: this.#view.dataVersion },
    };
  }

  #isInside(address: Address): boolean {
    if (isReserved(address)) return false;
    return !('asn' in this.#network) || this.#view.network(address).asn === this.#network.asn;
  }

  #judge(address: Address, set: number): Judged {
    const { protection } = this.#view;
    const network = this.#view.network(address);
    const isPlain =
      set !== 0 &&
      !network.relay &&
      protection?.knownGood(address, this.#now) === undefined &&
      protection?.override?.(address, this.#now) === undefined;
    const flags = (network.hosting ? 1 : 0) + (network.mobile ? 2 : 0) + (network.crawler ? 4 : 0);
    const key = 8 * set + flags;
    const known = isPlain ? this.#bySet.get(key) : undefined;
    if (known !== undefined) return known;
    const cap = knownGoodCapOf(protection, address);
    const observations = this.#view.observations(address);
    const found = verdict(observations, network, address.family, this.#now, SCORE_PARAMETERS, cap);
    const { score, level, state, signals, evidence } = found;
    const types = evidence.filter(({ strength }) => strength > 0).map(({ riskType }) => riskType);
    const judged = { score, level, state, signals, types };
    if (isPlain) this.#bySet.set(key, judged);
    return judged;
  }

  #add(address: Address, { score, level, state, types }: Judged, count: number): void {
    if (state === 'none') return;
    const { [state]: before } = this.#byState;
    this.#byState[state] = before + count;
    this.#byLevel[level] += count;
    for (const type of types) this.#byType.set(type, (this.#byType.get(type) ?? 0) + count);
    const bits = this.#partBits(address.family);
    if (bits === undefined) return;
    const name = formatPrefix(prefixOf(address, bits));
    const part = this.#parts.get(name) ?? { addresses: 0, active: 0, score: 0 };
    part.addresses += count;
    if (state === 'active') part.active += count;
    part.score = Math.max(part.score, score);
    this.#parts.set(name, part);
  }

  #partBits(family: 4 | 6): number | undefined {
    if ('asn' in this.#network) return family === 4 ? 24 : 48;
    const { bits } = this.#network.prefix;
    return LENGTHS[family].find((length) => length > bits);
  }

  #highest() {
    return this.#riskiest
      .sort((a, b) => b.judged.score - a.judged.score || compareAddresses(a.address, b.address))
      .slice(0, SHOWN_MAX);
  }

  #around(): readonly string[] {
    if ('asn' in this.#network) return [];
    const { prefix } = this.#network;
    const wider = LENGTHS[prefix.family].filter((length) => length < prefix.bits).toReversed();
    const asns = [prefix, lastAddress(prefix)].map((end) => this.#view.network(end).asn);
    return [
      ...wider.map((bits) => formatPrefix(prefixOf(prefix, bits))),
      ...(asns[0] !== undefined && asns[0] === asns[1] ? [`AS${asns[0]}`] : []),
    ];
  }
}

function firstFrom(sorted: readonly number[], from: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

const nameOf = (network: NetworkName): string =>
  'asn' in network ? `AS${network.asn}` : formatPrefix(network.prefix satisfies Prefix);

export type Judgement = VerdictFacts | 'not_found' | 'without_history';

export interface SummarizeParts {
  readonly reader: LineReader;
  readonly tally: TrafficTally;
  readonly requestOf: (record: string) => LogRequest | undefined;
  readonly judge: (address: Address) => Judgement | Promise<Judgement>;
}

export async function summarizeBlock(block: Uint8Array, from: number, parts: SummarizeParts): Promise<number> {
  const { reader, tally, judge } = parts;
  let lines = 0;
  for (let at = from; at < block.length; lines++) {
    const begun = at;
    at = reader.read(block, at);
    if (!reader.hasAddress) {
      if (!reader.isComment) tally.countWithoutAddress();
      continue;
    }
    const { address } = reader;
    const time = reader.time();
    if (tally.count(address, time)) {
      if (tally.isRisky) noteRequest(block, begun, time, parts);
      continue;
    }
    if (isReserved(address)) {
      tally.countReserved();
      continue;
    }
    const judged = judge(address);
    const judgement = judged instanceof Promise ? await judged : judged;
    if (judgement === 'not_found') tally.countNotFound();
    else if (judgement === 'without_history') tally.countWithoutHistory();
    else {
      tally.learn(address, time, judgement);
      if (tally.isRisky) noteRequest(block, begun, time, parts);
    }
  }
  return lines;
}

const decoder = new TextDecoder();
function noteRequest(
  block: Uint8Array,
  from: number,
  at: UnixMs | undefined,
  { reader, tally, requestOf }: SummarizeParts,
): void {
  tally.noteRequest(reader.address, at, requestOf(decoder.decode(block.subarray(from, reader.end))));
}

/**
 * Adds the registered name of the AS number, for readers of the files of `enrich`. Documents of the API carry
 * none (decisions 10.11).
 */
export function withAsName(document: object, geo: Pick<GeoImage, 'asName'>): object {
  const { network } = document as { readonly network?: { readonly asn?: number } };
  const name = network?.asn === undefined ? undefined : geo.asName(network.asn);
  return name === undefined ? document : { ...document, network: { ...network, as_name: name } };
}

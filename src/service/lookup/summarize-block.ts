import type { Address } from '../../core/ip/address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import type { LineReader } from '../../core/logs/line-reader.ts';
import type { LogRequest } from '../../core/logs/request-reader.ts';
import type { TrafficTally } from '../../core/summary/traffic-tally.ts';
import type { VerdictFacts } from '../../core/summary/verdict-facts.ts';
import type { UnixMs } from '../../core/units.ts';

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
      tally.countWithoutAddress();
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

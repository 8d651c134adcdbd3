import { workerData } from 'node:worker_threads';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import { type EnrichCall, type EnrichReply, type LocalEnrichOptions, localEnricher } from './local-enricher.ts';

const enricher = localEnricher(workerData as LocalEnrichOptions);

answerCalls<EnrichCall, EnrichReply>(
  ({ block, isFirst, spare }) => ({ ...enricher.enrich(block, isFirst, spare && bufferOf(spare)), block }),
  ({ block, memory }) => [block.buffer, memory.buffer as ArrayBuffer],
);

function bufferOf({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** Entry of a thread that enriches blocks from local data. Started by enrich-threads.ts. */
import { workerData } from 'node:worker_threads';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import type { EnrichedBytes } from '../../core/enrich/block-enricher.ts';
import { type EnrichCall, type LocalOrder, localEnricher } from './local-enricher.ts';

const enricher = localEnricher(workerData as LocalOrder, (size) => Buffer.from(new SharedArrayBuffer(size)));

answerCalls<EnrichCall, EnrichedBytes>(({ block, isFirst }) => enricher.enrich(block, isFirst));

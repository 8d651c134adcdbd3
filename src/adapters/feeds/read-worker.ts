/** Body of the worker thread that fetches and parses: one request in, one reading or one error out. */
import type { FeedReading } from '../../service/feed-ports.ts';
import { answerCalls } from '../system/worker-calls.ts';
import { type ReadRequest, readFeed } from './read-feed.ts';

answerCalls<ReadRequest, FeedReading>(readFeed, ({ parsed: { batch, asns } }) =>
  [batch.family, batch.words, batch.bits, batch.type, batch.capturedAt, batch.pool, asns].map((column) => column.buffer as ArrayBuffer),
);

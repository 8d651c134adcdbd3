/** Body of the worker thread that fetches and parses: one request at a time in, one reading or one error out. */
import { parentPort } from 'node:worker_threads';
import { type ReadRequest, readFeed } from './read-feed.ts';

const port = parentPort;
if (port === null) throw new Error('read-worker.ts runs in a worker thread');

port.on('message', async ({ ticket, request }: { readonly ticket: number; readonly request: ReadRequest }) => {
  try {
    const reading = await readFeed(request);
    const { batch, asns } = reading.parsed;
    const transfer = [batch.family, batch.words, batch.bits, batch.type, batch.capturedAt, batch.pool, asns].map((column) => column.buffer as ArrayBuffer);
    port.postMessage({ ticket, reading }, transfer);
  } catch (error) {
    port.postMessage({ ticket, error: error instanceof Error ? error.message : String(error) });
  }
});

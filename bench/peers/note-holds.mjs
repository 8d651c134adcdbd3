/** Preloaded into a server (`--import`): each thread that answers requests appends how late its event loop ran, and its memory, every 100 ms to the file NOTE_HOLDS. */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { workerData } from 'node:worker_threads';

const EVERY_MS = 100;
const file = process.env.NOTE_HOLDS;

if (file !== undefined && workerData?.serves !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  setInterval(() => {
    const { heapUsed, heapTotal, external } = process.memoryUsage();
    const line = { at: Date.now(), serves: workerData.serves, holdMs: delay.max / 1e6, heapUsed, heapTotal, external };
    delay.reset();
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  }, EVERY_MS).unref();
}

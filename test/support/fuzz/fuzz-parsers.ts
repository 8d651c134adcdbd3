import { Worker } from 'node:worker_threads';
import type { ParserFault, ParserResult } from './fuzz-parser.ts';
import type { FuzzWork } from './fuzz-worker.ts';

/**
 * A reading that takes longer hangs in a loop without an end: the longest sound one takes some milliseconds.
 * Work that has an end is counted.
 */
const HANG_MS = 60_000;
const HEAP_MB = 512;

/**
 * Reads broken inputs with every parser whose name holds `only`, in a thread of its own, which a hang or a
 * full memory ends.
 * @param cases inputs of a target of share 1
 */
export function fuzzParsers(
  seed: number,
  cases: number,
  { only = '', countWork = false }: { readonly only?: string; readonly countWork?: boolean } = {},
): Promise<readonly ParserResult[]> {
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('./fuzz-worker.ts', import.meta.url), {
    workerData: { seed, cases, countWork, only, begun } satisfies FuzzWork,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const results: ParserResult[] = [];
  let target = '';
  return new Promise((resolve) => {
    const end = (what?: string): void => {
      clearInterval(watch);
      void worker.terminate();
      const fault = { target, input: `seed ${seed}, input ${begun[0]}`, bytes: new Uint8Array(0) };
      if (what !== undefined) results.push({ target, read: 0, refused: 0, faults: [{ ...fault, what }] });
      resolve(results);
    };
    let seen = -1;
    const watch = setInterval(() => {
      if (begun[0] === seen) end(`one reading takes longer than ${HANG_MS} ms`);
      seen = begun[0]!;
    }, HANG_MS);
    worker.on('message', (message: string | ParserResult) => {
      if (typeof message === 'string') target = message;
      else results.push(message);
    });
    worker.on('error', (error: Error) => end(error.stack ?? error.message));
    worker.on('exit', (code) => code === 0 && end());
  });
}

export const describeFault = ({ target, input, bytes, what }: ParserFault): string =>
  `${target}, ${input}: ${what.split('\n').slice(0, 6).join('\n')}\n  ${JSON.stringify(Buffer.from(bytes.subarray(0, 400)).toString('latin1'))}`;

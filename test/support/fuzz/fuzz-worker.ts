import { parentPort, workerData } from 'node:worker_threads';
import { countWork } from './count-work.ts';

export interface FuzzWork {
  readonly seed: number;
  readonly cases: number;
  readonly only: string;
  /** The count also bounds the work of each reading, which takes longer. */
  readonly countWork: boolean;
  /** The thread counts the inputs that it begins to read, so that a watcher sees when it hangs. */
  readonly begun: Int32Array;
}

const { seed, cases, only, countWork: isCounted, begun } = workerData as FuzzWork;
const work = isCounted ? countWork() : undefined;
// It loads after the counter began: only code that is compiled afterwards is counted.
const { fuzzParser } = await import('./fuzz-parser.ts');
const { PARSER_TARGETS } = await import('./parser-targets.ts');
// The work of loading is not the work of a reading.
work?.take();
for (const target of PARSER_TARGETS) {
  if (!target.name.includes(only)) continue;
  parentPort!.postMessage(target.name);
  const run = { seed, cases: Math.ceil(cases * (target.share ?? 1)), work };
  parentPort!.postMessage(await fuzzParser(target, run, () => void Atomics.add(begun, 0, 1)));
}

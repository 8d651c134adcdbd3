import { parentPort, workerData } from 'node:worker_threads';
import { countWork } from './count-work.ts';
import type { FuzzRun } from './fuzz-parser.ts';

/** Task of one thread: each target for its share of the cases. */
export interface FuzzWork {
  readonly run: number;
  readonly cases: number;
  /** Numbers of the targets. */
  readonly targets: readonly number[];
  /** Bounds the work of each reading too, which takes longer. */
  readonly countWork: boolean;
  /** Target and case that are being read, for who watches. */
  readonly at: Int32Array;
}

const { run, cases, targets, countWork: isCounted, at } = workerData as FuzzWork;
const counter = isCounted ? countWork() : undefined;
// Behind the counter: only code that is compiled after its beginning is counted.
const { fuzzParser } = await import('./fuzz-parser.ts');
const { PARSER_TARGETS } = await import('./parser-targets.ts');
// Work of loading is not work of a reading.
counter?.take();
for (const number of targets) {
  const target = PARSER_TARGETS[number]!;
  const work: FuzzRun = {
    run,
    from: 0,
    cases: Math.ceil(cases * (target.share ?? 1)),
    ...(counter && { work: counter }),
  };
  Atomics.store(at, 0, number);
  const result = await fuzzParser(target, work, (index) => {
    Atomics.store(at, 1, index);
    Atomics.add(at, 2, 1);
  });
  parentPort!.postMessage({ target: target.name, ...result });
}

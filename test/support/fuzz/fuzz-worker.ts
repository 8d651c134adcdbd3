import { parentPort, workerData } from 'node:worker_threads';
import { countWork } from './count-work.ts';
import type { FuzzRun } from './fuzz-parser.ts';

export interface FuzzWork {
  readonly run: number;
  readonly cases: number;
  readonly targets: readonly number[];
  /** The count also bounds the work of each reading, which takes longer. */
  readonly countWork: boolean;
  /** The thread writes the target and the case that it reads, so that a watcher sees them. */
  readonly at: Int32Array;
}

const { run, cases, targets, countWork: isCounted, at } = workerData as FuzzWork;
const counter = isCounted ? countWork() : undefined;
// It loads after the counter began: only code that is compiled afterwards is counted.
const { fuzzParser } = await import('./fuzz-parser.ts');
const { PARSER_TARGETS } = await import('./parser-targets.ts');
// The work of loading is not the work of a reading.
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
